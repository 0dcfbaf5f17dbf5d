#include "observe/assignment_metrics.h"

#include <cstdint>
#include <string>
#include <vector>

#include "observe/unit_assignments.h"

namespace patchbay::observe {
namespace {

using Type = MetricsText::Type;

void add_assignments_of(const std::string& resource, const std::string& unit,
                        const std::vector<Assignment>& assignments, MetricsText& text) {
  for (const Assignment& assignment : assignments) {
    text.sample({{"resource", resource},
                 {"unit", unit},
                 {"namespace", assignment.container->pod_namespace},
                 {"pod", assignment.container->pod},
                 {"container", assignment.container->name}},
                uint64_t{1});
  }
}

}  // namespace

void add_assignment_metrics(const NodeStatus& status, MetricsText& text) {
  text.family("patchbay_pod_resources_up", Type::gauge,
              "Whether PodResources is available, which reports unit allocations.");
  if (status.assignments) {
    text.sample({}, uint64_t{status.assignments->state == PodResourcesStatus::State::ready});
  }
  text.family("patchbay_units_allocated", Type::gauge, "Units that are allocated to a container.");
  for (const ResourceStatus& resource : status.resources) {
    if (!has_pod_resources(status)) break;
    text.sample({{"resource", resource.resolved.name()}},
                uint64_t{assigned_unit_count(status, resource.resolved.name())});
  }
  text.family("patchbay_unit_allocation_info", Type::info,
              "The container that the unit is allocated to.");
  if (!status.assignments) return;
  for (const auto& [resource, devices] : *status.assignments->devices) {
    for (const auto& [unit, assigned] : assignments_of(status, resource)) {
      add_assignments_of(resource, unit, assigned.assignments, text);
    }
  }
}

}  // namespace patchbay::observe
