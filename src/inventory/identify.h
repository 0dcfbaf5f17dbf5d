#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "inventory/claims.h"
#include "inventory/resolution.h"
#include "rules/plan.h"

namespace patchbay::inventory {

/// The longest list that the kubelet reads in one message of 3.5 MiB, when every unit has an id of
/// 63 characters, is unhealthy and has a NUMA node (84 bytes).
inline constexpr size_t kMaxUnits = 3'670'016 / 84;

/// The units that all resources offer.
struct Offered {
  std::vector<std::vector<Unit>> by_resource;      ///< Healthy, in natural order of ids.
  std::unordered_map<std::string, size_t> owners;  ///< Which resource has an id.
  std::vector<Refusal> refusals;                   ///< With those of the claims; in order.
};

/// Ids are once in a resource, else all that have one are refused; and once on the node: the first
/// resource keeps it.
[[nodiscard]] Offered identify(const rules::Plan& plan, Claims claims);

/// Sorts by resource, then in natural order of device.
void sort_refusals(std::vector<Refusal>& refusals);

}  // namespace patchbay::inventory
