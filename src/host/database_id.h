#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/facts.h"

/// udev names a device's record in /run/udev/data by its number (c188:0, b7:0), its network
/// interface's index (n3), or its subsystem and name (+usb:1-2).
namespace patchbay::host {

/// A record's name, taken apart.
struct DatabaseId {
  std::optional<DeviceNumber> number;
  std::optional<uint32_t> ifindex;
  std::string subsystem;  ///< With `sysname`, when there is neither of the others.
  std::string sysname;
  friend bool operator==(const DatabaseId&, const DatabaseId&) = default;
};

/// None: not the name of a record, but for example of a file not yet renamed into place.
[[nodiscard]] std::optional<DatabaseId> parse_database_id(std::string_view name);

/// The name of the record that udev keeps for a kernel device, whether or not it has one.
[[nodiscard]] std::string database_id(const DeviceFacts& device, std::optional<uint32_t> ifindex);

/// The canonical syspaths of those records whose device exists, each with its record's name. The
/// indexes are the host's interfaces', so they are looked up once for all. Blocking: pool.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> devices_of_records(
    const std::vector<std::string>& names);

}  // namespace patchbay::host
