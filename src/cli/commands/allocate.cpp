#include "inventory/allocate.h"

#include <signal.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/json_text.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/commands/config_input.h"
#include "cli/commands/find_unit.h"
#include "cli/commands/host_discovery.h"
#include "cli/commands/process_setup.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/table.h"
#include "cli/terminal/terminal.h"
#include "inventory/preferred_units.h"
#include "inventory/unit_checks.h"
#include "loop/child_process.h"
#include "plugin/plugin_messages.h"
#include "rules/plan/step.h"
#include "standin/kubelet_messages.h"
#include "steps/step_runner.h"

namespace patchbay::cli {
namespace {

using Ids = std::vector<std::string>;

/// The resource, which has all named units; an Error for a refusal.
Result<inventory::SnapshotPtr> named_resource(const inventory::Inventory& inventory,
                                              const AllocateOptions& options) {
  const auto resource = find_resource(*inventory.plan(), options.resource);
  if (!resource) return std::unexpected(resource.error());
  for (const std::string& id : options.ids) {
    if (auto known = check_unit(inventory.last(), *resource, id); !known) {
      return std::unexpected(std::move(known).error());
    }
  }
  return inventory.last().resources[*resource].snapshot;
}

/// The response of Allocate.
Result<inventory::Allocation> answer(const inventory::Snapshot& snapshot, const Ids& ids,
                                     const paths::HostRoot& root) {
  return inventory::allocate(snapshot, ids, [&](const std::string& path, bool device) {
    return root.exists(path, device);
  });
}

/// The choice of the kubelet if all healthy units are free.
Result<Ids> preferred(const inventory::Snapshot& snapshot, const AllocateOptions& options) {
  const std::string& name = snapshot.resource->name;
  if (!snapshot.resource->choice_matters()) {
    return fail(name + " has no preference: the kubelet takes any units");
  }
  Ids available;
  for (const inventory::Unit& unit : snapshot.units) {
    for (size_t share = 0; unit.healthy && share < unit.listed(); ++share) {
      available.push_back(unit.listed_id(share));
    }
  }
  if (std::cmp_less(available.size(), options.prefer)) {
    return fail(fmt::format("{} has {}, fewer than {}", name,
                            count_text(available.size(), "healthy unit"), options.prefer));
  }
  if (std::cmp_greater(options.ids.size(), options.prefer)) {
    return fail(fmt::format("{} named, but --prefer is {}", count_text(options.ids.size(), "unit"),
                            options.prefer));
  }
  return inventory::preferred_units(snapshot, available, options.ids,
                                    static_cast<size_t>(options.prefer));
}

/// Runs the preStart steps of the units, one unit after the other. SIGINT and SIGTERM end them.
Result<void> run_steps(const inventory::Snapshot& snapshot, const Ids& ids,
                       const paths::HostRoot& root) {
  if (!snapshot.resource->has_pre_start_steps()) {
    return fail(snapshot.resource->name + " has no preStart");
  }
  block_signal(SIGTERM);
  block_signal(SIGINT);
  loop::UvLoop loop;
  const auto inotify = loop::Inotify::create(loop);
  if (!inotify) return std::unexpected(inotify.error());
  loop::WorkQueue queue(loop);
  const auto runner = steps::StepRunner::create(
      loop, **inotify, queue, {.root = root, .environment = loop::child_environment({})});
  Result<void> result;
  const auto end = [&](Result<void> with) {
    result = std::move(with);
    loop.stop();
  };
  const auto terminate = loop.watch_signal(SIGTERM, [&] { end(fail("stopped by SIGTERM")); });
  const auto interrupt = loop.watch_signal(SIGINT, [&] { end(fail("stopped by SIGINT")); });
  std::set<std::string> begun;  // Shares of one unit have the same steps.
  for (const std::string& id : ids) {
    const inventory::Unit& unit = *snapshot.find_listed(id)->unit;
    if (!begun.insert(unit.id).second) continue;
    auto steps = inventory::steps_of(*snapshot.resource, unit, &rules::GroupPlan::pre_start);
    if (!steps) return fail(fmt::format("unit '{}'", unit.id), steps.error());
    if (steps->empty()) continue;
    const auto running = runner->run(*std::move(steps), rules::kPreStartBudget, end);
    loop.run();
    if (!result) return fail(fmt::format("unit '{}'", unit.id), result.error());
  }
  return {};
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
  const bool json = options.output == OutputFormat::json;
  return discover_and_answer(
      options.config, options.host,
      [&](const inventory::Inventory& inventory, const paths::HostRoot& root) {
        const auto snapshot = named_resource(inventory, options);
        if (!snapshot) return report_failure(snapshot.error());
        if (options.prefer > 0) {
          const auto ids = preferred(**snapshot, options);
          if (!ids) return report_failure(ids.error());
          return exit_code_of(print(json ? json_text(*ids) : shown(join(*ids, " ")) + "\n"));
        }
        const auto given = answer(**snapshot, options.ids, root);
        if (!given) return report_failure(given.error());
        if (options.start) {
          const auto prepared = run_steps(**snapshot, options.ids, root);
          if (!prepared) return report_failure(prepared.error());
        }
        return exit_code_of(print(json ? json_of(*given) : allocation_table(*given)));
      });
}

}  // namespace patchbay::cli
