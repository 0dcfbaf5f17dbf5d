#pragma once

#include <string>
#include <string_view>

namespace patchbay::config {

/// What to write instead of a key of udev's rules, such as `ENV{ID_BUS}` or `KERNEL=="ttyUSB*"`.
/// Empty if the word is no such key.
[[nodiscard]] std::string udev_key_hint(std::string_view word);

}  // namespace patchbay::config
