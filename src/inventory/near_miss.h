#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "inventory/resolution.h"
#include "model/facts.h"
#include "rules/match/mismatch.h"
#include "rules/plan/plan.h"

namespace patchbay::inventory {

/// The candidate that came nearest to a group which no device matches.
struct NearMiss {
  rules::Rule rule;          ///< The rule of the group's own devices: role 0.
  size_t considered = 0;     ///< Number of existing entities of the rule's kind.
  DeviceFactsPtr nearest{};  ///< The one with the fewest failing conditions; null: there is none.
  std::vector<rules::Mismatch> mismatches{};  ///< The failing conditions.
};

/// A plan of the resources with no units, refusals or unresponsive paths, without their members.
/// Query the host by this plan for near_misses(). Empty if there is no such resource. Pure.
[[nodiscard]] rules::Plan plan_of_unmatched(const rules::Plan& plan, const Resolution& resolution);

/// One result for each group of these resources, in the order of the plan. `entities` are all
/// devices, paths and names that the rules of the groups apply to, in natural order of keys. They
/// must have all facts that the rules want. Pure.
[[nodiscard]] std::vector<NearMiss> near_misses(const rules::Plan& plan,
                                                const Resolution& resolution,
                                                std::span<const DeviceFactsPtr> entities);

}  // namespace patchbay::inventory
