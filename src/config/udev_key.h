#pragma once

#include <string>
#include <string_view>

namespace patchbay::config {

/// Of a key as udev's rules have it, `ENV{ID_BUS}` or `KERNEL=="ttyUSB*"`, what to write; empty if
/// it is none.
[[nodiscard]] std::string udev_key_hint(std::string_view word);

}  // namespace patchbay::config
