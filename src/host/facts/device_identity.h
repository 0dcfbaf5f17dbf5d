#pragma once

#include <span>
#include <string>
#include <string_view>

#include "host/facts/lineage.h"

namespace patchbay::host {

/// Reads a component that distinguishes a device from others of its subsystem on the same hardware.
/// Used only for default ids, so it contains no kernel number that a reboot may change.
///
/// `serial` is the unique id of the disk that the device is or belongs to. `place` is the function,
/// port or unit of the hardware; it is empty for the first or only one. `part` is the partition of
/// a disk.
///
/// `files` has /sys; `lineage` begins with the device. Any thread; reads may block on a driver.
[[nodiscard]] std::string read_identity(const paths::HostRoot& files,
                                        std::span<const DeviceDirectory> lineage,
                                        std::string_view component);

}  // namespace patchbay::host
