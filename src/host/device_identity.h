#pragma once

#include <span>
#include <string>
#include <string_view>

#include "host/lineage.h"

namespace patchbay::host {

/// What tells a device apart from other devices of its subsystem on the same hardware. Used for
/// default ids only, so it has no kernel number that a reboot may change. The parts are:
/// - "serial": the unique id of the disk that the device is, or is a part of.
/// - "place": which of the functions, ports or units of the hardware the device is. Empty for the
///   first or only one.
/// - "part": the partition of a disk.
/// `lineage` begins with the device. Any thread; reading may block on a driver.
[[nodiscard]] std::string read_identity(std::span<const DeviceDirectory> lineage,
                                        std::string_view component);

}  // namespace patchbay::host
