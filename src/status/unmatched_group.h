#pragma once

#include <string>
#include <vector>

#include "inventory/near_miss.h"
#include "rules/plan/plan_fwd.h"

namespace patchbay::status {

/// A group of an empty resource that no device matches, and the candidate that came nearest.
/// Immutable after construction. Any thread.
struct UnmatchedGroup {
  inventory::NearMiss miss;
  std::string candidates{};  ///< The number of candidates as text: `12 devices of the subsystem
                             ///< "tty"`.
  std::string no_candidate_reason{};  ///< Why there is no candidate; empty if there is one.
};

/// The groups, and the plan that their rules refer to.
struct UnmatchedReport {
  rules::PlanPtr plan;  ///< Null: no plan has been resolved yet.
  std::vector<UnmatchedGroup> groups{};
};

}  // namespace patchbay::status
