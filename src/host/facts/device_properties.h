#pragma once

#include <libudev.h>

#include <memory>
#include <string>
#include <vector>

#include "model/facts.h"

/// Reads udev's database of a device. Any thread; blocking.
namespace patchbay::host {

struct UdevDeleter {
  void operator()(udev* context) const { udev_unref(context); }
  void operator()(udev_device* device) const { udev_device_unref(device); }
};
using UdevPtr = std::unique_ptr<udev, UdevDeleter>;
using DevicePtr = std::unique_ptr<udev_device, UdevDeleter>;

/// The values of a fact from the database (property, tag or link), in natural order. Empty values
/// are omitted.
[[nodiscard]] std::vector<std::string> read_record(udev_device* device, const FactName& name);

/// The current values of those properties of the device at `syspath`, without trailing white space
/// and NULs. Absent properties are omitted.
[[nodiscard]] NamedValues read_properties(const std::string& syspath,
                                          const std::vector<std::string>& names);

}  // namespace patchbay::host
