#include "cli/commands/machine_check.h"

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands/host_discovery.h"
#include "daemon/configuration.h"
#include "inventory/inventory.h"
#include "rules/plan/plan.h"

namespace patchbay::cli {
namespace {

void warn_without_units(const inventory::ResolvedResource& resource, std::string_view machine,
                        config::Diagnostics& diagnostics) {
  if (!resource.snapshot->units.empty()) return;
  const auto& at = resource.snapshot->resource->at.position;
  if (resource.refusals.empty()) {
    diagnostics.warning(
        at, fmt::format("no device of {} matches '{}'", machine, resource.name()),
        fmt::format("`patchbay explain DEVICE --machine {}` says why a device does not match",
                    machine));
    return;
  }
  const inventory::Refusal& first = resource.refusals.front();
  diagnostics.warning(
      at, fmt::format("'{}' offers no unit on {}", resource.name(), machine),
      fmt::format("{}: {}", printable(first.devnode.empty() ? first.device : first.devnode),
                  printable(first.reason, 500)));
}

}  // namespace

Result<void> check_on_machine(const rules::PlanPtr& plan, const HostCommandOptions& host,
                              config::Diagnostics& diagnostics) {
  const auto options = host_options(host, *plan, false);
  if (!options) return std::unexpected(options.error());
  const std::string shown = printable(host.machine, 500);
  const auto end = run_discovery(daemon::plan_for_this_node(plan, options->root), *options,
                                 [&](const inventory::Inventory& inventory) {
                                   for (const auto& resource : inventory.last().resources) {
                                     warn_without_units(resource, shown, diagnostics);
                                   }
                                   return false;
                                 });
  if (!end) return std::unexpected(end.error());
  return {};
}

}  // namespace patchbay::cli
