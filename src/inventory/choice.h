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

/// Returns how many shares to take of each candidate: `size` in total, or as many as possible.
/// Shares are chosen one after the other, each time the best by the first preference, then by the
/// next, and so on. The last criterion is the index in `candidates`, which are in natural order of
/// ids. The result is not always the best, but with `numa` first it is on one node if one has
/// enough shares.
///
/// Each preference rates the taken and the newly chosen shares together. A set of NUMA nodes counts
/// as one node.
///
/// `packed`: fewest units, so that shares stay together. Then fewest units without used shares.
/// Then fewest free shares left in the chosen units. Then the last two criteria, applied to NUMA
/// nodes.
/// `spread`: fewest shares in use of the unit; then of the node.
/// `numa`: fewest NUMA nodes; having no node also counts as one.
/// `closest`: most common ancestors, summed over all pairs. Ancestors are the NUMA node, the
/// devices in the first device's syspath, and the unit. So a common switch is nearer than a common
/// root port, and a root port is nearer than a host bridge. The smallest subtrees with enough
/// shares are tried, too.
///
/// The work is proportional to the number of candidates times `size`. Pure.
[[nodiscard]] std::vector<size_t> choose_shares(std::span<const rules::Preference> prefer,
                                                std::span<const Candidate> candidates, size_t size);

}  // namespace patchbay::inventory
