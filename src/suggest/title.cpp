#include "suggest/title.h"

#include <string_view>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::suggest {

std::string title_of(const Candidate& candidate) {
  const DeviceFacts& device = *candidate.matched.front();
  return fmt::format("{}: {}", printable(device.devnode.empty() ? device.name : device.devnode),
                     candidate.kind->about);
}

std::string full_title_of(const Candidate& candidate, DeviceReader& reader) {
  std::string title = title_of(candidate);
  const DeviceFactsPtr device = reader.read(candidate.matched.front()->key);
  if (device == nullptr) return title;
  if (const std::string model = model_of(*device); !model.empty()) title += ", " + model;
  for (const std::string_view variable : {"usb.serial", "attribute.wwid", "property.ID_SERIAL"}) {
    const auto serial = value_of(*device, variable);
    if (serial) return title + ", serial " + *serial;
  }
  return title;
}

std::string model_of(const DeviceFacts& device) {
  const auto first_of = [&](std::string_view a, std::string_view b) {
    return value_of(device, a).or_else([&] { return value_of(device, b); }).value_or("");
  };
  std::string vendor = first_of("property.ID_VENDOR_FROM_DATABASE", "property.ID_VENDOR");
  std::string model = first_of("property.ID_MODEL_FROM_DATABASE", "property.ID_MODEL");
  if (vendor.empty() || model.starts_with(vendor)) return model;
  return model.empty() ? vendor : vendor + " " + model;
}

}  // namespace patchbay::suggest
