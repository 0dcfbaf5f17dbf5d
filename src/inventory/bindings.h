#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "inventory/snapshot.h"
#include "rules/plan.h"

namespace patchbay::inventory {

/// A unit that a container has, and which of its shares, if it is shared; sorted.
struct Grant {
  const Unit* unit = nullptr;
  std::vector<size_t> shares;
};

/// What an entry is given for, one time: which device of which role of a unit, and which share.
struct Binding {
  Role role = 0;
  size_t index = 0;
  std::optional<size_t> share;
};

/// Every time that an entry which repeats so is given for a unit; none where it lacks a member.
/// Fails where two of the things that it names have several devices: which belong together cannot
/// be known.
[[nodiscard]] Result<std::vector<Binding>> bindings_of(const rules::GroupPlan& group,
                                                       const rules::Multiplicity& multiplicity,
                                                       const Grant& grant);

}  // namespace patchbay::inventory
