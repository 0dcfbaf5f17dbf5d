#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/facts.h"
#include "rules/plan.h"

namespace patchbay::inventory {

using rules::Captures;

/// What a unit is made of: which group, and the devices matched (one, until units are grouped).
struct UnitMembers {
  size_t group = 0;  ///< Index into the resource's groups.
  std::vector<DeviceFactsPtr> devices;
  Captures captures;
  friend bool operator==(const UnitMembers& a, const UnitMembers& b);
};

/// One unit of a resource: what the kubelet calls a device.
struct Unit {
  std::string id;  ///< At most 63 characters of [A-Za-z0-9._:-].
  bool healthy = true;
  std::string reason;  ///< Why it is unhealthy; empty when healthy.
  std::shared_ptr<const UnitMembers> members;
  friend bool operator==(const Unit& a, const Unit& b);
};

/// Everything there is to know about one resource at one moment. Immutable; any thread.
struct Snapshot {
  rules::PlanPtr plan;  ///< Keeps what `resource` indexes alive.
  size_t resource = 0;
  std::vector<Unit> units;  ///< In natural order of ids, each id once.

  [[nodiscard]] const rules::ResourcePlan& resource_plan() const {
    return plan->resources[resource];
  }
  /// The unit with that id, or null.
  [[nodiscard]] const Unit* find(std::string_view id) const;
};

using SnapshotPtr = std::shared_ptr<const Snapshot>;

}  // namespace patchbay::inventory
