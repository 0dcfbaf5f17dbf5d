#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/facts.h"

/// Names of records in /run/udev/data. udev names a record by the device number (c188:0, b7:0) or
/// by the index of a network interface (n3). Records of other devices are named by subsystem and
/// name (+usb:1-2).
namespace patchbay::host {

/// A parsed record name.
struct DatabaseId {
  std::optional<DeviceNumber> number;
  std::optional<uint32_t> ifindex;
  std::string subsystem;  ///< Set, with `sysname`, if the other two are not.
  std::string sysname;
  friend bool operator==(const DatabaseId&, const DatabaseId&) = default;
};

/// Returns null for any other name, such as that of a temporary file.
[[nodiscard]] std::optional<DatabaseId> parse_database_id(std::string_view name);

/// The record name of a kernel device, whether or not the record exists.
[[nodiscard]] std::string database_id(const DeviceFacts& device, std::optional<uint32_t> ifindex);

/// Returns the name of each record with the canonical syspath of its device. Omits records whose
/// device is not found. Blocking: on a work thread.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> devices_of_records(
    const std::vector<std::string>& names);

}  // namespace patchbay::host
