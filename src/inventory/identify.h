#pragma once

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "inventory/complete_units.h"
#include "inventory/resolution.h"
#include "rules/plan.h"

namespace patchbay::inventory {

/// The longest list that the kubelet reads in one message of 3.5 MiB, when each of its devices has
/// an id of 63 characters, is unhealthy and has a NUMA node (84 bytes).
inline constexpr size_t kMaxUnits = 3'670'016 / 84;

/// As how many of them the unit counts: one on several NUMA nodes once for each.
[[nodiscard]] inline size_t counted(const Unit& unit) {
  return unit.listed() * std::max<size_t>(unit.nodes.size(), 1);
}

/// The units that all resources offer.
struct Offered {
  std::vector<std::vector<Unit>> by_resource;      ///< In natural order of ids.
  std::unordered_map<std::string, size_t> owners;  ///< Which resource has an id.
};

/// Ids are once in a resource, else all that have one are refused; and once on the node: the first
/// resource keeps it. What is refused is added to `refusals`.
[[nodiscard]] Offered identify(const rules::Plan& plan,
                               std::vector<std::vector<Candidate>> candidates,
                               std::vector<Refusal>& refusals);

/// Sorts by resource, then in natural order of device.
void sort_refusals(std::vector<Refusal>& refusals);

}  // namespace patchbay::inventory
