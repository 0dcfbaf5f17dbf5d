#include "observe/holder_metrics.h"

#include <cstdint>
#include <string>
#include <vector>

#include "observe/unit_holders.h"

namespace patchbay::observe {
namespace {

using Type = MetricsText::Type;

void add_holders_of(const std::string& resource, const std::string& unit,
                    const std::vector<Holder>& holders, MetricsText& text) {
  for (const Holder& holder : holders) {
    text.sample({{"resource", resource},
                 {"unit", unit},
                 {"namespace", holder.container->pod_namespace},
                 {"pod", holder.container->pod},
                 {"container", holder.container->name}},
                uint64_t{1});
  }
}

}  // namespace

void add_holder_metrics(const NodeStatus& status, MetricsText& text) {
  text.family("patchbay_pod_resources_up", Type::gauge,
              "Whether the kubelet tells which Pod holds what.");
  if (status.holders) {
    text.sample({}, uint64_t{status.holders->state == HoldersStatus::State::known});
  }
  text.family("patchbay_units_held", Type::gauge, "Units that containers have.");
  for (const ResourceStatus& resource : status.resources) {
    if (!knows_holders(status)) break;
    text.sample({{"resource", resource.resolved.name()}},
                uint64_t{held_units(status, resource.resolved.name())});
  }
  text.family("patchbay_unit_holder_info", Type::info, "Which container has the unit.");
  if (!status.holders) return;
  for (const auto& [resource, devices] : *status.holders->devices) {
    for (const auto& [unit, held] : holders_of(status, resource)) {
      add_holders_of(resource, unit, held.holders, text);
    }
  }
}

}  // namespace patchbay::observe
