#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "rules/plan/plan.h"

namespace patchbay::inventory {

/// A unit from which choose_shares() can choose. Each of its shares is free, taken or used. A unit
/// that is not shared counts as one share.
struct Candidate {
  std::vector<int> nodes;  ///< Its NUMA nodes; sorted.
  std::string syspath;     ///< Syspath of its first device; empty if the device has none.
  size_t free = 0;         ///< Shares that may be chosen.
  size_t taken = 0;        ///< Shares that the container gets in any case.
  size_t used = 0;         ///< Shares that are not available.
  size_t max_taken = rules::SharePlan::kMaxShares;  ///< Limit of the shares that may be chosen.

  [[nodiscard]] size_t can_take() const { return free < max_taken ? free : max_taken; }
};

/// Returns how many free shares to take of each candidate: `size` in total, or as many as possible.
/// `candidates` must be in natural order of ids. The time is proportional to candidates times
/// `size`. Pure.
///
/// The algorithm is greedy: it chooses one share after the other, each time the best by the first
/// preference. The next preference decides between equals, and finally the index in `candidates`.
/// So the result is not always the best. But if `numa` is the first preference and one node has
/// enough shares, all chosen shares are on one node.
///
/// Preferences rate taken and chosen shares together. A unit's set of NUMA nodes counts as one
/// node.
///
/// - `packed`: the fewest units; then the fewest units without used shares; then the fewest free
///   shares left in the chosen units. Then the last two criteria, with NUMA nodes instead of units.
/// - `spread`: the unit with the fewest shares in use; then the unit on the NUMA node with the
///   fewest shares in use.
/// - `numa`: the fewest NUMA nodes. All units without a node count as one node.
/// - `closest`: the highest number of common ancestors, summed over all pairs of shares. Ancestors
///   of a share are its NUMA node, the devices in the syspath, and the unit. So two devices below
///   the same PCIe switch are closer than two that share only the root port. Each smallest subtree
///   with enough shares is tried, too.
[[nodiscard]] std::vector<size_t> choose_shares(std::span<const rules::Preference> prefer,
                                                std::span<const Candidate> candidates, size_t size);

}  // namespace patchbay::inventory
