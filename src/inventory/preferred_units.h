#pragma once

#include <span>
#include <string>
#include <vector>

#include "inventory/snapshot.h"

namespace patchbay::inventory {

/// Answers GetPreferredAllocation: selects the device ids that a container should get, by `prefer`
/// of the resource. Returns `size` ids in natural order, with all of `must_include`. Returns fewer
/// if fewer are available, or if `perContainer` limits the shares of a unit.
///
/// An id that is neither in `available` nor in `must_include` counts as used. Unknown ids of
/// `available` and ids of unhealthy units are ignored, because the kubelet may ask about an old
/// list (docs/dev/kubelet.md: Preferred allocation). The criteria are documented at
/// choose_shares(). If the number of free ids times the number of ids to choose exceeds
/// kMaxChoiceWork, the first ids in natural order are returned. Pure. gRPC's thread.
[[nodiscard]] std::vector<std::string> preferred_units(const Snapshot& snapshot,
                                                       std::span<const std::string> available,
                                                       std::span<const std::string> must_include,
                                                       size_t size);
inline constexpr size_t kMaxChoiceWork = 2'000'000;

}  // namespace patchbay::inventory
