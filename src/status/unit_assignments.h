#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/text.h"
#include "inventory/snapshot.h"
#include "status/node_status.h"
#include "status/pod_resources_status.h"

/// Converts assignments of the kubelet's devices to assignments of units. Pure.
namespace patchbay::status {

/// By unit id: the containers that have the unit, or a share of it.
using AssignmentsByUnit = std::map<std::string, DeviceAssignments, NaturalLess>;

/// Returns the assignments by unit, including units that `snapshot` lacks. A null `snapshot` means
/// that the resource is not offered. A container with several shares of a unit appears once, with
/// the earliest time.
[[nodiscard]] AssignmentsByUnit assignments_by_unit(const ResourceAssignments& devices,
                                                    const inventory::Snapshot* snapshot);

/// Returns the assignments of a resource. Empty if they are not known, or if no container has a
/// unit.
[[nodiscard]] AssignmentsByUnit assignments_of(const NodeStatus& status,
                                               const std::string& resource);

/// Whether the kubelet has ever answered, so that assignments are known.
[[nodiscard]] bool has_pod_resources(const NodeStatus& status);

/// Returns the number of the resource's offered units that containers have.
[[nodiscard]] size_t assigned_unit_count(const NodeStatus& status, const std::string& resource);

/// A unit that a container has although it is no longer offered.
struct WithdrawnUnit {
  std::string resource;
  std::string unit;
  std::vector<Assignment> assignments;
};
/// Maximum number of reported units, because a kubelet can report any number of unknown units.
inline constexpr size_t kMaxWithdrawnUnits = 256;
/// Returns the first withdrawn units, sorted, including those of resources that are not offered.
[[nodiscard]] std::vector<WithdrawnUnit> withdrawn_units(const NodeStatus& status);

}  // namespace patchbay::status
