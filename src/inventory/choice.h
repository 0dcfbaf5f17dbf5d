#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "rules/plan.h"

namespace patchbay::inventory {

/// A unit as one that chooses sees it. In use is what is neither free nor taken.
struct Candidate {
  std::vector<int> nodes;  ///< Its NUMA nodes; sorted.
  std::string syspath;     ///< Syspath of its first device; empty: it has none.
  size_t free = 0;         ///< Shares that may be taken; of a unit that is not shared, itself.
  size_t taken = 0;        ///< Shares that are taken already, whatever is chosen.
  size_t used = 0;         ///< Shares that others have.
  size_t max_taken =
      rules::SharePlan::kMaxShares;  ///< How many of those that are free may be taken at most.

  [[nodiscard]] size_t can_take() const { return free < max_taken ? free : max_taken; }
};

/// How many shares to take of each candidate, `size` in all, or as many as can be: the best choice
/// there is by the first preference, of equals by the next, and so on; of equals in all by the
/// least sum of positions in `candidates`, which are in natural order of ids.
///
/// What is best, of all that is taken then. A set of NUMA nodes counts as a node of its own.
/// - packed: fewest units, so that shares stay together; then fewest that were not in use; then
///   least left free in the units that it takes from; then the last two of NUMA nodes.
/// - spread: least sum of squares of what is in use of each unit; then of each node.
/// - numa: fewest NUMA nodes; no node is one, too.
/// - closest: most common ancestors, over all pairs: the NUMA node, the devices of the first
///   device's syspath, the unit. So a switch is nearer than a root port, that than a host bridge.
///
/// Exact, as dynamic programming over the tree of nodes, devices and units: its work is at most the
/// free shares times `size`. Pure.
[[nodiscard]] std::vector<size_t> best_choice(std::span<const rules::Preference> prefer,
                                              std::span<const Candidate> candidates, size_t size);

}  // namespace patchbay::inventory
