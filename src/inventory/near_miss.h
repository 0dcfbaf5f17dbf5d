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

/// For a group that no device matches: the entity that comes nearest, and why it does not match.
struct NearMiss {
  rules::Rule rule;          ///< The rule of the group's own devices: role 0.
  size_t considered = 0;     ///< Number of entities to which the rule applies.
  DeviceFactsPtr nearest{};  ///< It has the fewest failing conditions; null if there is none.
  std::vector<rules::Mismatch> mismatches{};  ///< The failing conditions of `nearest`.
};

/// Returns a plan of the resources that have no units, refusals or unresponsive paths. Its groups
/// have no members. Scan the host with this plan to get the `entities` of near_misses(). Pure.
[[nodiscard]] rules::Plan plan_of_unmatched(const rules::Plan& plan, const Resolution& resolution);

/// Returns one result for each group of the resources in plan_of_unmatched(), in the order of
/// `plan`. `entities` are all devices, paths and names that the rules of the groups apply to, in
/// natural order of keys. They must have all facts that the rules want. Pure.
[[nodiscard]] std::vector<NearMiss> near_misses(const rules::Plan& plan,
                                                const Resolution& resolution,
                                                std::span<const DeviceFactsPtr> entities);

}  // namespace patchbay::inventory
