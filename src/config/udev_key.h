#pragma once

#include <string>
#include <string_view>

namespace patchbay::config {

/// The equivalent of a key of udev rules, such as `ENV{ID_BUS}` or `KERNEL=="ttyUSB*"`. Empty for
/// other words.
[[nodiscard]] std::string udev_key_hint(std::string_view word);

}  // namespace patchbay::config
