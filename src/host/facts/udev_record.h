#pragma once

#include <libudev.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/facts/device_tree.h"
#include "model/facts.h"

/// Reads records of devices in udev's database. Blocking.
namespace patchbay::host {

/// Directory of udevd's control socket and queue marker.
inline constexpr const char* kUdevDirectory = "/run/udev";
/// Directory of udev's database, with one file for each record.
inline constexpr const char* kUdevDatabase = "/run/udev/data/";

/// The record of a device in udev's database.
class UdevRecord {
 public:
  virtual ~UdevRecord() = default;
  /// The value of a property. Empty if absent.
  [[nodiscard]] virtual std::string property(const std::string& name) const = 0;
  /// All properties, also those that libudev adds from /sys.
  [[nodiscard]] virtual NamedValues properties() const = 0;
  /// The current tags of the device.
  [[nodiscard]] virtual std::vector<std::string> tags() const = 0;
  /// The links to the device node.
  [[nodiscard]] virtual std::vector<std::string> links() const = 0;

  /// The values of a fact from the database (property, tag or link), in natural order. Properties
  /// have no trailing white space and NULs.
  [[nodiscard]] std::vector<std::string> read(const FactName& name) const;
};

/// Finds the records of devices. One thread, because a libudev context is not thread-safe.
class UdevRecords {
 public:
  explicit UdevRecords(DeviceTree tree) : tree_(std::move(tree)) {}

  /// The record of the device at `syspath`. Null if the device is gone, or if memory or descriptors
  /// are exhausted; see paths::ResourceExhaustion.
  [[nodiscard]] std::unique_ptr<UdevRecord> find(const std::string& syspath);

 private:
  struct UdevDeleter {
    void operator()(udev* context) const { udev_unref(context); }
  };

  DeviceTree tree_;
  std::unique_ptr<udev, UdevDeleter> udev_;  ///< Created at the first use.
};

/// Reads these properties of the device at `syspath`. Omits absent ones. Any thread.
[[nodiscard]] NamedValues read_properties(const DeviceTree& tree, const std::string& syspath,
                                          const std::vector<std::string>& names);

}  // namespace patchbay::host
