#pragma once

#include <memory>
#include <string>
#include <vector>

#include "inventory/snapshot.h"
#include "rules/plan.h"

namespace patchbay::inventory {

/// What the devices of a complete unit come to. It depends on nothing else, so it is worked out
/// once for them.
struct MadeUnit {
  std::shared_ptr<const UnitMembers> members;
  std::string id;  ///< Empty if none could be made.
  rules::IdSource id_source = rules::IdSource::written;
  std::vector<int> nodes;  ///< NUMA nodes of the devices that match, online or not; sorted.
  size_t shares = 0;       ///< Unit::shares.
  EmptyAllocation empty_allocation = EmptyAllocation::no;
  std::shared_ptr<const UnitChecks> checks;
  std::string fault;  ///< Why it cannot be a unit; empty if it can.

  /// The key of the first of its devices.
  [[nodiscard]] const std::string& device() const { return members->devices.front().facts->key; }
  /// Unit::listed().
  [[nodiscard]] size_t listed() const { return shares == 0 ? 1 : shares; }
};

using MadeUnitPtr = std::shared_ptr<const MadeUnit>;
using MadeUnits = std::vector<MadeUnitPtr>;
/// What a resource offers, in natural order of ids. Immutable; any thread.
using MadeUnitsPtr = std::shared_ptr<const MadeUnits>;

/// Makes the id and the shares, and renders every template once, so that what cannot be given to a
/// container is known now. Pure.
[[nodiscard]] MadeUnitPtr make_unit(const rules::ResourcePlan& resource, UnitMembers members);

}  // namespace patchbay::inventory
