#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "host/facts/fact_reader.h"
#include "model/facts.h"
#include "paths/host_root.h"

/// Reads values of devices by the names of variables, such as `usb.vendor` for $(usb.vendor).
namespace patchbay::suggest {

/// Reads the facts of devices that kinds and proposals use. Reads each device only once. Blocking.
/// One thread.
class DeviceReader {
 public:
  explicit DeviceReader(const paths::HostRoot& root);
  DeviceReader(const DeviceReader&) = delete;
  DeviceReader& operator=(const DeviceReader&) = delete;

  /// Returns the facts of the device. Null if the device does not exist.
  [[nodiscard]] DeviceFactsPtr read(const std::string& syspath);

  /// Whether the link leads to the device, and is a udev link of no other device.
  [[nodiscard]] bool is_only_target(const DeviceFacts& device, const std::string& link);

 private:
  [[nodiscard]] HostQueryPtr query();

  std::map<std::string, WantedFacts> wanted_;  ///< By subsystem.
  paths::HostRoot root_;
  host::FactReader reader_;
  std::map<std::string, DeviceFactsPtr> known_;
  std::optional<std::map<std::string, int>> links_;  ///< The number of devices of each link.
};

/// Returns the value of `usb.vendor`, `attribute.device/model`, `link.by-id` and so on. Null if the
/// device has no such value, or if the value should not be in a rule. The latter values have
/// control characters, bad UTF-8, more than 200 bytes, or a wrong form for an id, address or
/// socket. A USB device has no values of `pci`.
[[nodiscard]] std::optional<std::string> value_of(const DeviceFacts& device,
                                                  std::string_view variable);

}  // namespace patchbay::suggest
