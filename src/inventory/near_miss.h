#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/facts.h"
#include "inventory/resolution.h"
#include "rules/mismatch.h"
#include "rules/plan.h"

namespace patchbay::inventory {

/// What a group of a resource that no device matches looked at.
struct NearMiss {
  rules::Rule rule;          ///< Of what the group itself matches: role 0.
  size_t considered = 0;     ///< How many things of the kind that it looks at there are.
  DeviceFactsPtr nearest{};  ///< The one with the fewest conditions that fail; null: there is none.
  std::vector<rules::Mismatch> mismatches{};  ///< Those conditions.
};

/// The groups of the resources that have neither a unit nor a refusal, and nothing pending, as a
/// plan of their own; what to look at the host for; it has no resource where there is no such
/// group. Pure.
[[nodiscard]] rules::Plan plan_of_unmatched(const rules::Plan& plan, const Resolution& resolution);

/// One for each of these groups, in the order of the plan. `things` are all that the rules of the
/// groups look at, with all facts that they want, in natural order of keys. Pure.
[[nodiscard]] std::vector<NearMiss> near_misses(const rules::Plan& plan,
                                                const Resolution& resolution,
                                                std::span<const DeviceFactsPtr> entities);

}  // namespace patchbay::inventory
