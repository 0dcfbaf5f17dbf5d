#include "host/facts/device_properties.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"

namespace patchbay::host {
namespace {

std::string property_of(udev_device* device, const std::string& name) {
  const char* value = udev_device_get_property_value(device, name.c_str());
  return std::string(trim_end(value != nullptr ? value : ""));
}

/// The values of one of libudev's lists, in natural order.
std::vector<std::string> names_of(udev_list_entry* first) {
  std::vector<std::string> names;
  for (udev_list_entry* entry = first; entry != nullptr; entry = udev_list_entry_get_next(entry)) {
    names.emplace_back(udev_list_entry_get_name(entry));
  }
  std::ranges::sort(names, natural_less);
  return names;
}

}  // namespace

std::vector<std::string> read_record(udev_device* device, const FactName& name) {
  switch (name.fact) {
    case Fact::property:
      return {property_of(device, name.argument)};
    case Fact::tag:
      return names_of(udev_device_get_current_tags_list_entry(device));
    case Fact::link:
      return names_of(udev_device_get_devlinks_list_entry(device));
    default:
      return {};
  }
}

NamedValues read_properties(const std::string& syspath, const std::vector<std::string>& names) {
  const UdevPtr context(udev_new());
  if (!context) return {};
  const DevicePtr device(udev_device_new_from_syspath(context.get(), syspath.c_str()));
  if (!device) return {};
  NamedValues properties;
  for (const std::string& name : names) {
    std::string value = property_of(device.get(), name);
    if (!value.empty()) properties.emplace(name, std::move(value));
  }
  return properties;
}

}  // namespace patchbay::host
