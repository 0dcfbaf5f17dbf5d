#include "cli/allocation_view.h"

#include <map>
#include <vector>

#include "base/text.h"
#include "cli/table.h"

namespace patchbay::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string shown(const std::string& text) { return printable(text, 1000); }

Rows named_values(const std::string& title, const std::map<std::string, std::string>& values) {
  Rows rows{{title, "VALUE"}};
  for (const auto& [name, value] : values) rows.push_back({shown(name), shown(value)});
  return rows;
}

Rows device_rows(const inventory::Allocation& allocation) {
  Rows rows{{"DEVICE", "HOST PATH", "PERMISSIONS"}};
  for (const inventory::AllocatedDevice& device : allocation.devices) {
    rows.push_back({shown(device.container_path), shown(device.host_path), device.permissions});
  }
  return rows;
}

Rows mount_rows(const inventory::Allocation& allocation) {
  Rows rows{{"MOUNT", "HOST PATH", "ACCESS"}};
  for (const inventory::AllocatedMount& mount : allocation.mounts) {
    rows.push_back({shown(mount.container_path), shown(mount.host_path),
                    mount.read_only ? "read-only" : "read-write"});
  }
  return rows;
}

Rows cdi_rows(const inventory::Allocation& allocation) {
  Rows rows{{"CDI DEVICE"}};
  for (const std::string& name : allocation.cdi_devices) rows.push_back({shown(name)});
  return rows;
}

}  // namespace

std::string allocation_table(const inventory::Allocation& allocation) {
  std::string text;
  for (const Rows& rows :
       {device_rows(allocation), mount_rows(allocation), cdi_rows(allocation),
        named_values("ENV", allocation.envs), named_values("ANNOTATION", allocation.annotations)}) {
    if (rows.size() == 1) continue;
    if (!text.empty()) text += '\n';
    text += format_table(rows);
  }
  return text.empty() ? "nothing but the unit itself\n" : text;
}

}  // namespace patchbay::cli
