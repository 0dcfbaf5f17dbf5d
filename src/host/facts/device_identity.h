#pragma once

#include <span>
#include <string>
#include <string_view>

#include "host/facts/lineage.h"

namespace patchbay::host {

/// Reads a component of a device's identity. The identity distinguishes the device from other
/// devices of its subsystem on the same hardware. Default ids are made from it, so it contains no
/// kernel number that a reboot may change. Returns an empty text if the device has no such
/// component.
///
/// `component` is one of these:
/// - `serial`: the unique id of the disk that the device is or belongs to;
/// - `place`: the function, port or unit of the hardware; empty for the first or only one;
/// - `part`: the partition of a disk.
///
/// `files` has /sys. `lineage` begins with the device. Any thread; reads may block on a driver.
[[nodiscard]] std::string read_identity(const paths::HostRoot& files,
                                        std::span<const DeviceDirectory> lineage,
                                        std::string_view component);

}  // namespace patchbay::host
