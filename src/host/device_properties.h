#pragma once

#include <libudev.h>

#include <memory>
#include <string>
#include <vector>

#include "base/facts.h"

/// What udev's database holds of a device. Any thread; blocking.
namespace patchbay::host {

struct UdevDeleter {
  void operator()(udev* context) const { udev_unref(context); }
  void operator()(udev_device* device) const { udev_device_unref(device); }
};
using UdevPtr = std::unique_ptr<udev, UdevDeleter>;
using DevicePtr = std::unique_ptr<udev_device, UdevDeleter>;

/// The values of a fact of the database: property, tag, link; several in natural order. An empty
/// one is absent.
[[nodiscard]] std::vector<std::string> read_record(udev_device* device, const FactName& name);

/// Those of the properties that the device at `syspath` has, read anew, without trailing white
/// space and NULs; none of one that is not there.
[[nodiscard]] NamedValues read_properties(const std::string& syspath,
                                          const std::vector<std::string>& names);

}  // namespace patchbay::host
