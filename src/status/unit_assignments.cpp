#include "status/unit_assignments.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace patchbay::status {
namespace {

/// The current or former unit of the device.
std::string_view unit_of(const std::string& device, const inventory::Snapshot* snapshot) {
  if (snapshot != nullptr) {
    if (const auto listed = snapshot->find_listed(device)) return listed->unit->id;
  }
  const auto part = inventory::split_share_id(device);
  return part ? part->unit : std::string_view(device);
}

void add_assignment(std::vector<Assignment>& assignments, const Assignment& assignment) {
  const auto at = std::ranges::lower_bound(
      assignments, *assignment.container, {},
      [](const Assignment& known) -> const Container& { return *known.container; });
  if (at != assignments.end() && *at->container == *assignment.container) {
    at->since = std::min(at->since, assignment.since);
  } else {
    assignments.insert(at, assignment);
  }
}

const inventory::Snapshot* snapshot_of(const NodeStatus& status, const std::string& resource) {
  const auto found = std::ranges::find_if(
      status.resources, [&](const ResourceStatus& its) { return its.resolved.name() == resource; });
  return found == status.resources.end() ? nullptr : found->resolved.snapshot.get();
}

}  // namespace

AssignmentsByUnit assignments_by_unit(const ResourceAssignments& devices,
                                      const inventory::Snapshot* snapshot) {
  AssignmentsByUnit units;
  for (const auto& [id, device] : devices) {
    DeviceAssignments& unit = units[std::string(unit_of(id, snapshot))];
    for (const Assignment& assignment : device.assignments)
      add_assignment(unit.assignments, assignment);
    unit.allocated = std::max(unit.allocated, device.allocated);
  }
  return units;
}

AssignmentsByUnit assignments_of(const NodeStatus& status, const std::string& resource) {
  if (!status.assignments) return {};
  const auto devices = status.assignments->devices->find(resource);
  if (devices == status.assignments->devices->end()) return {};
  return assignments_by_unit(devices->second, snapshot_of(status, resource));
}

bool has_pod_resources(const NodeStatus& status) {
  return status.assignments && status.assignments->answered;
}

size_t assigned_unit_count(const NodeStatus& status, const std::string& resource) {
  const inventory::Snapshot* const snapshot = snapshot_of(status, resource);
  if (snapshot == nullptr) return 0;
  return static_cast<size_t>(
      std::ranges::count_if(assignments_of(status, resource), [&](const auto& unit) {
        return !unit.second.assignments.empty() && snapshot->find(unit.first) != nullptr;
      }));
}

std::vector<WithdrawnUnit> withdrawn_units(const NodeStatus& status) {
  std::vector<WithdrawnUnit> withdrawn;
  if (!status.assignments) return withdrawn;
  for (const auto& [resource, devices] : *status.assignments->devices) {
    const inventory::Snapshot* const snapshot = snapshot_of(status, resource);
    for (auto& [unit, assigned] : assignments_by_unit(devices, snapshot)) {
      if (assigned.assignments.empty() || (snapshot != nullptr && snapshot->find(unit) != nullptr))
        continue;
      if (withdrawn.size() == kMaxWithdrawnUnits) return withdrawn;
      withdrawn.push_back(
          {.resource = resource, .unit = unit, .assignments = assigned.assignments});
    }
  }
  return withdrawn;
}

}  // namespace patchbay::status
