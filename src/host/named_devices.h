#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace patchbay::host {

/// The kernel devices of that name, in every subsystem: canonical syspaths, in natural order. A
/// name with a slash may be written as the kernel has it (`cciss/c0d0`) or as /sys has it
/// (`cciss!c0d0`). Blocking.
///
/// `sysfs` is another directory than /sys in tests only.
[[nodiscard]] std::vector<std::string> kernel_devices_named(std::string_view name,
                                                            const std::string& sysfs = "/sys");

}  // namespace patchbay::host
