#include "cli/commands/machine_check.h"

#include <string>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands/host_discovery.h"
#include "daemon/configuration.h"
#include "inventory/inventory.h"
#include "rules/plan/plan.h"

namespace patchbay::cli {

Result<void> check_on_machine(const rules::PlanPtr& plan, const HostCommandOptions& host,
                              config::Diagnostics& diagnostics) {
  const auto options = host_options(host, *plan, false);
  if (!options) return std::unexpected(options.error());
  const std::string shown = printable(host.machine, 500);
  bool known = false;
  const auto end =
      run_discovery(daemon::plan_for_this_node(plan, options->root), *options,
                    [&](const inventory::Inventory& inventory) {
                      known = true;
                      for (const auto& resource : inventory.last().resources) {
                        if (!resource.snapshot->units.empty()) continue;
                        diagnostics.warning(
                            resource.snapshot->resource->at.position,
                            fmt::format("'{}' offers no unit on {}", resource.name(), shown),
                            fmt::format("`patchbay discover CONFIG --machine {}` says why", shown));
                      }
                      return false;
                    });
  if (!end) return std::unexpected(end.error());
  if (!known) return fail("stopped before the devices were known");
  return {};
}

}  // namespace patchbay::cli
