#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "rules/plan/plan.h"

namespace patchbay::inventory {

/// A unit as input of a choice. Each share is free, taken or used.
struct Candidate {
  std::vector<int> nodes;  ///< Its NUMA nodes; sorted.
  std::string syspath;     ///< Syspath of its first device; empty: it has none.
  size_t free = 0;         ///< Shares that may be taken. A unit that is not shared has one.
  size_t taken = 0;        ///< Shares that every choice includes.
  size_t used = 0;         ///< Shares that other containers have.
  size_t max_taken = rules::SharePlan::kMaxShares;  ///< Upper limit of the free shares to take.

  [[nodiscard]] size_t can_take() const { return free < max_taken ? free : max_taken; }
};

/// Returns how many shares to take of each candidate: `size` in total, or as many as possible. The
/// choice is the best by the first preference, then by the next, and so on. The last criterion is
/// the least sum of positions in `candidates`, which are in natural order of ids.
///
/// Each preference rates the taken and the newly chosen shares together. A set of NUMA nodes counts
/// as one node.
///
/// `packed`: fewest units, so that shares stay together. Then fewest units without used shares.
/// Then fewest free shares left in the chosen units. Then the last two criteria, applied to NUMA
/// nodes.
/// `spread`: least sum of squares of the shares in use per unit; then per node.
/// `numa`: fewest NUMA nodes; having no node also counts as one.
/// `closest`: most common ancestors, summed over all pairs. Ancestors are the NUMA node, the
/// devices in the first device's syspath, and the unit. So a common switch is nearer than a common
/// root port, and a root port is nearer than a host bridge.
///
/// The search is exact: dynamic programming over the tree of nodes, devices and units. Its work is
/// at most the number of free shares times `size`. Pure.
[[nodiscard]] std::vector<size_t> best_choice(std::span<const rules::Preference> prefer,
                                              std::span<const Candidate> candidates, size_t size);

}  // namespace patchbay::inventory
