#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "inventory/snapshot.h"
#include "rules/plan/plan.h"

namespace patchbay::inventory {

/// A unit that a container has. For a shared unit also its shares, sorted.
struct Grant {
  const Unit* unit = nullptr;
  std::vector<size_t> shares;
};

/// One use of an entry: the device of each role of a unit that it is for, and the share.
struct Binding {
  Role role = 0;
  size_t index = 0;
  std::optional<size_t> share;
};

/// The bindings of an entry with this multiplicity for a unit. Empty if the unit lacks a member.
/// Fails if two of the roles have several devices: the pairing of their devices is unknown.
[[nodiscard]] Result<std::vector<Binding>> bindings_of(const rules::GroupPlan& group,
                                                       const rules::Multiplicity& multiplicity,
                                                       const Grant& grant);

}  // namespace patchbay::inventory
