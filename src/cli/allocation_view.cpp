#include "cli/allocation_view.h"

#include <map>
#include <vector>

#include "base/text.h"
#include "cli/terminal.h"

namespace patchbay::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string shown(const std::string& text) { return printable(text, 1000); }

/// By name; protobuf's maps have no order.
template <typename Map>
Rows named_values(const std::string& title, const Map& values) {
  Rows rows{{title, "VALUE"}};
  for (const auto& [name, value] : std::map<std::string, std::string>(values.begin(), values.end()))
    rows.push_back({shown(name), shown(value)});
  return rows;
}

Rows device_rows(const v1beta1::ContainerAllocateResponse& answer) {
  Rows rows{{"DEVICE", "HOST PATH", "PERMISSIONS"}};
  for (const auto& device : answer.devices()) {
    rows.push_back(
        {shown(device.container_path()), shown(device.host_path()), device.permissions()});
  }
  return rows;
}

Rows mount_rows(const v1beta1::ContainerAllocateResponse& answer) {
  Rows rows{{"MOUNT", "HOST PATH", "ACCESS"}};
  for (const auto& mount : answer.mounts()) {
    rows.push_back({shown(mount.container_path()), shown(mount.host_path()),
                    mount.read_only() ? "read-only" : "read-write"});
  }
  return rows;
}

Rows cdi_rows(const v1beta1::ContainerAllocateResponse& answer) {
  Rows rows{{"CDI DEVICE"}};
  for (const auto& device : answer.cdi_devices()) rows.push_back({shown(device.name())});
  return rows;
}

}  // namespace

std::string allocation_table(const v1beta1::ContainerAllocateResponse& answer) {
  std::string text;
  for (const Rows& rows :
       {device_rows(answer), mount_rows(answer), cdi_rows(answer),
        named_values("ENV", answer.envs()), named_values("ANNOTATION", answer.annotations())}) {
    if (rows.size() == 1) continue;
    if (!text.empty()) text += '\n';
    text += format_table(rows);
  }
  return text.empty() ? "nothing but the unit itself\n" : text;
}

}  // namespace patchbay::cli
