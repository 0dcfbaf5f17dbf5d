#include "render/assignment_metrics.h"

#include <cstdint>
#include <string>
#include <vector>

#include "status/unit_assignments.h"

namespace patchbay::render {
namespace {

using Type = MetricsText::Type;

void add_assignments_of(const std::string& resource, const std::string& unit,
                        const std::vector<status::Assignment>& assignments, MetricsText& text) {
  for (const status::Assignment& assignment : assignments) {
    text.sample({{"resource", resource},
                 {"unit", unit},
                 {"namespace", assignment.container->pod_namespace},
                 {"pod", assignment.container->pod},
                 {"container", assignment.container->name}},
                uint64_t{1});
  }
}

}  // namespace

void add_assignment_metrics(const status::NodeStatus& status, MetricsText& text) {
  text.family("patchbay_pod_resources_up", Type::gauge,
              "Whether PodResources is available, which reports unit allocations.");
  if (status.assignments) {
    text.sample({},
                uint64_t{status.assignments->state == status::PodResourcesStatus::State::ready});
  }
  text.family("patchbay_units_allocated", Type::gauge, "Units that are allocated to a container.");
  for (const status::ResourceStatus& resource : status.resources) {
    if (!status::has_pod_resources(status)) break;
    text.sample({{"resource", resource.resolved.name()}},
                uint64_t{status::assigned_unit_count(status, resource.resolved.name())});
  }
  text.family("patchbay_unit_allocation_info", Type::gauge,
              "The container that the unit is allocated to.");
  if (!status.assignments) return;
  for (const auto& [resource, devices] : *status.assignments->devices) {
    for (const auto& [unit, assigned] : status::assignments_of(status, resource)) {
      add_assignments_of(resource, unit, assigned.assignments, text);
    }
  }
}

}  // namespace patchbay::render
