#include "host/device_properties.h"

#include <memory>
#include <string_view>

#include "base/text.h"

namespace patchbay::host {

NamedValues properties_of(udev_device* device, const std::vector<std::string>& names) {
  NamedValues properties;
  for (const std::string& name : names) {
    const char* value = udev_device_get_property_value(device, name.c_str());
    const std::string_view trimmed = trim_end(value != nullptr ? value : "");
    if (!trimmed.empty()) properties.emplace(name, trimmed);
  }
  return properties;
}

NamedValues read_properties(const std::string& syspath, const std::vector<std::string>& names) {
  const std::unique_ptr<udev, decltype(&udev_unref)> context(udev_new(), udev_unref);
  if (!context) return {};
  const std::unique_ptr<udev_device, decltype(&udev_device_unref)> device(
      udev_device_new_from_syspath(context.get(), syspath.c_str()), udev_device_unref);
  if (!device) return {};
  return properties_of(device.get(), names);
}

}  // namespace patchbay::host
