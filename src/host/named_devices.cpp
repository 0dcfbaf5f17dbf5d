#include "host/named_devices.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "host/facts/device_list.h"

namespace patchbay::host {

std::vector<std::string> kernel_devices_named(const DeviceTree& tree, std::string_view name) {
  std::string entry(name);
  std::ranges::replace(entry, '/', '!');
  std::vector<std::string> found;
  if (entry.empty() || entry == "." || entry == ".." || entry.contains('\0')) return found;
  const auto add_from = [&](const std::string& parent, const std::string& below) {
    for (const std::string& subsystem : tree.files.names_in(parent)) {
      auto device = canonical_device(tree, parent + '/' + subsystem + below + '/' + entry);
      if (device) found.push_back(*std::move(device));
    }
  };
  add_from(tree.sysfs + "/class", "");
  add_from(tree.sysfs + "/bus", "/devices");
  std::ranges::sort(found, natural_less);
  const auto repeated = std::ranges::unique(found);
  found.erase(repeated.begin(), repeated.end());
  return found;
}

}  // namespace patchbay::host
