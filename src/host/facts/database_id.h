#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/facts.h"

/// Names of records in /run/udev/data. udev names a device's record by its number (c188:0, b7:0),
/// its network interface's index (n3), or its subsystem and name (+usb:1-2).
namespace patchbay::host {

/// A parsed record name.
struct DatabaseId {
  std::optional<DeviceNumber> number;
  std::optional<uint32_t> ifindex;
  std::string subsystem;  ///< Set, with `sysname`, if the other two are not.
  std::string sysname;
  friend bool operator==(const DatabaseId&, const DatabaseId&) = default;
};

/// Null: not a record name, such as that of a file before its rename.
[[nodiscard]] std::optional<DatabaseId> parse_database_id(std::string_view name);

/// The record name of a kernel device, whether or not the record exists.
[[nodiscard]] std::string database_id(const DeviceFacts& device, std::optional<uint32_t> ifindex);

/// The canonical syspath of each record's device, with the record's name; records without a device
/// are omitted. Interface indexes are those of the host, and are looked up once for all records.
/// Blocking: on a work thread.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> devices_of_records(
    const std::vector<std::string>& names);

}  // namespace patchbay::host
