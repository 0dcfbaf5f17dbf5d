#pragma once

#include <libudev.h>

#include <string>
#include <vector>

#include "base/facts.h"

/// What udev's database holds of a device. Any thread; blocking.
namespace patchbay::host {

/// Those of the properties that the device has and that are not empty, without trailing white space
/// and NULs.
[[nodiscard]] NamedValues properties_of(udev_device* device, const std::vector<std::string>& names);

/// The same of the device at `syspath`, read anew; none of one that is not there.
[[nodiscard]] NamedValues read_properties(const std::string& syspath,
                                          const std::vector<std::string>& names);

}  // namespace patchbay::host
