#include "inventory/allocate.h"

#include <map>
#include <string>
#include <vector>

#include "base/json_text.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/commands/find_unit.h"
#include "cli/commands/host_discovery.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/table.h"
#include "cli/terminal/terminal.h"
#include "plugin/plugin_messages.h"
#include "standin/kubelet_messages.h"

namespace patchbay::cli {
namespace {

/// The response of Allocate; an Error for a refusal.
Result<inventory::Allocation> answer(const inventory::Inventory& inventory,
                                     const paths::HostRoot& root, const AllocateOptions& options) {
  const auto resource = find_resource(*inventory.plan(), options.resource);
  if (!resource) return std::unexpected(resource.error());
  for (const std::string& id : options.ids) {
    if (auto known = check_unit(inventory.last(), *resource, id); !known) {
      return std::unexpected(std::move(known).error());
    }
  }
  const auto exists = [&](const std::string& path, bool device) {
    return root.exists(path, device);
  };
  return inventory::allocate(*inventory.last().resources[*resource].snapshot, options.ids, exists);
}

/// As the kubelet would receive it.
std::string json_of(const inventory::Allocation& allocation) {
  return json_text(Json::parse(standin::to_json_text(plugin::to_response(allocation))));
}

using Rows = std::vector<std::vector<std::string>>;

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

/// For people: a table for each kind of entry. Device strings are made printable.
std::string allocation_table(const inventory::Allocation& allocation) {
  std::string text;
  for (const Rows& rows :
       {device_rows(allocation), mount_rows(allocation), cdi_rows(allocation),
        named_values("ENV", allocation.envs), named_values("ANNOTATION", allocation.annotations)}) {
    if (rows.size() == 1) continue;
    if (!text.empty()) text += '\n';
    text += format_table(rows);
  }
  return text.empty() ? "nothing: these units add nothing to the container\n" : text;
}

}  // namespace

int allocate(const AllocateOptions& options) {
  return discover_and_answer(
      options.config, options.host,
      [&](const inventory::Inventory& inventory, const paths::HostRoot& root) {
        const auto given = answer(inventory, root, options);
        if (!given) return report_failure(given.error());
        return exit_code_of(print(options.output == OutputFormat::json ? json_of(*given)
                                                                       : allocation_table(*given)));
      });
}

}  // namespace patchbay::cli
