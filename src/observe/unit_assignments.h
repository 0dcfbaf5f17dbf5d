#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/text.h"
#include "inventory/snapshot.h"
#include "observe/node_status.h"
#include "observe/pod_resources_status.h"

/// From the kubelet's devices to our units. Pure.
namespace patchbay::observe {

/// Who holds one unit: of a shared one, all that have a share of it.
using AssignmentsByUnit = std::map<std::string, DeviceAssignments, NaturalLess>;

/// By the id of the unit, also of units that `snapshot` does not have; null: the resource is not
/// offered. A container that has several shares of a unit is there once, with the earliest time.
[[nodiscard]] AssignmentsByUnit assignments_by_unit(const ResourceAssignments& devices,
                                                    const inventory::Snapshot* snapshot);

/// The same of the resource with that name in the status; empty: it is not known, or nobody.
[[nodiscard]] AssignmentsByUnit assignments_of(const NodeStatus& status,
                                               const std::string& resource);

/// Whether there is anything to tell: who holds what was answered once.
[[nodiscard]] bool has_pod_resources(const NodeStatus& status);

/// How many units of the resource containers have, of those that are offered.
[[nodiscard]] size_t assigned_unit_count(const NodeStatus& status, const std::string& resource);

/// A unit that a container has, and that is not offered any more.
struct WithdrawnUnit {
  std::string resource;
  std::string unit;
  std::vector<Assignment> assignments;
};
/// So many are told: what a kubelet says of units that we never had needs no room.
inline constexpr size_t kMaxWithdrawnUnits = 256;
/// The first of them, also of resources that are not offered; sorted.
[[nodiscard]] std::vector<WithdrawnUnit> withdrawn_units(const NodeStatus& status);

}  // namespace patchbay::observe
