#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "host/facts/fact_reader.h"
#include "model/facts.h"
#include "paths/host_root.h"

/// Values of one device, by the names that variables have in the language.
namespace patchbay::suggest {

/// Reads the facts of devices that any kind names, and those that proposals describe. Each device
/// is read once. Blocking. One thread.
class DeviceReader {
 public:
  explicit DeviceReader(const paths::HostRoot& root);
  DeviceReader(const DeviceReader&) = delete;
  DeviceReader& operator=(const DeviceReader&) = delete;

  /// Null: the device does not exist.
  [[nodiscard]] DeviceFactsPtr read(const std::string& syspath);

  /// Whether the link leads to the device, and udev made it for no other device of the machine.
  [[nodiscard]] bool is_only_target(const DeviceFacts& device, const std::string& link);

 private:
  [[nodiscard]] HostQueryPtr query();

  std::map<std::string, WantedFacts> wanted_;  ///< By subsystem.
  paths::HostRoot root_;
  host::FactReader reader_;
  std::map<std::string, DeviceFactsPtr> known_;
  std::optional<std::map<std::string, int>> links_;  ///< The number of devices of each link.
};

/// The value of `usb.vendor`, `attribute.device/model`, `link.by-id` and so on. Null: the device
/// has none, or a rule should not have it. That is a value with control characters, bad UTF-8 or
/// more than 200 bytes, and an id that is no number. A USB device has no values of `pci`.
[[nodiscard]] std::optional<std::string> value_of(const DeviceFacts& device,
                                                  std::string_view variable);

}  // namespace patchbay::suggest
