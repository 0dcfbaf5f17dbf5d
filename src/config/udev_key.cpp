#include "config/udev_key.h"

#include <array>
#include <cstddef>
#include <utility>

namespace patchbay::config {

std::string udev_key_hint(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kKeysWithNames{
      {{"ENV{", "property: {"}, {"ATTR{", "attribute: {"}, {"ATTRS{", ""}, {"TEST{", ""}}};
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kMatchKeys{
      {{"KERNEL", "name"},
       {"SUBSYSTEM", "subsystem"},
       {"DRIVER", "driver"},
       {"TAG", "tag"},
       {"SYMLINK", "link"},
       {"DEVTYPE", "devtype"}}};
  for (const auto& [begin, key] : kKeysWithNames) {
    const size_t end = word.find('}');
    if (!word.starts_with(begin) || end == std::string_view::npos) continue;
    const std::string name(word.substr(begin.size(), end - begin.size()));
    if (!key.empty()) return "write " + std::string(key) + name + ": …}";
    return "for a parent device write usb: {vendor: …, product: …}, or ancestor: {subsystem: usb, "
           "devtype: usb_device, attribute: {" +
           name + ": …}}";
  }
  for (const auto& [begin, key] : kMatchKeys) {
    // Without quotes, KERNEL=="ttyUSB*" is a single YAML key.
    if (word.starts_with(begin) && word.contains("==")) {
      return "write " + std::string(key) + ": VALUE, without quotes and '=='";
    }
  }
  return {};
}

}  // namespace patchbay::config
