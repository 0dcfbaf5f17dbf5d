#pragma once

#include <memory>
#include <string>
#include <vector>

#include "inventory/snapshot.h"
#include "rules/plan/plan.h"

namespace patchbay::inventory {

/// The data of a unit that depends only on its devices and the plan, so it is computed once.
struct MadeUnit {
  std::shared_ptr<const UnitMembers> members;
  std::string id;  ///< Empty if the id could not be made.
  rules::IdSource id_source = rules::IdSource::written;
  std::vector<int> nodes;  ///< NUMA nodes of the matched devices, online or offline; sorted.
  size_t shares = 0;       ///< Unit::shares.
  EmptyAllocation empty_allocation = EmptyAllocation::no;
  std::shared_ptr<const UnitChecks> checks;
  std::string fault;  ///< Why the unit cannot be offered; empty if it can.

  /// The key of the first device.
  [[nodiscard]] const std::string& device() const { return members->devices.front().facts->key; }
  /// Unit::listed().
  [[nodiscard]] size_t listed() const { return shares == 0 ? 1 : shares; }
};

using MadeUnitPtr = std::shared_ptr<const MadeUnit>;
using MadeUnits = std::vector<MadeUnitPtr>;
/// The units that a resource offers, in natural order of ids. Immutable. Any thread.
using MadeUnitsPtr = std::shared_ptr<const MadeUnits>;

/// Makes a unit of these members. Renders every template once, so that an error which would occur
/// in a later Allocate is known now, as MadeUnit::fault. Pure.
[[nodiscard]] MadeUnitPtr make_unit(const rules::ResourcePlan& resource, UnitMembers members);

}  // namespace patchbay::inventory
