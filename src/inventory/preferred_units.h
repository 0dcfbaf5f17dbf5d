#pragma once

#include <span>
#include <string>
#include <vector>

#include "inventory/snapshot.h"

namespace patchbay::inventory {

/// Which of the kubelet's devices a container had best get, by `prefer` of the resource: exactly
/// `size` ids, all of `must_include` among them, in natural order. Fewer where there are fewer, and
/// where a container must not have more of the units (`perContainer`).
///
/// In use is what is neither available nor to be included. Ids of `available` that are unknown or
/// of unhealthy units are ignored: the list that the kubelet asks about may be an old one (kubelet
/// contract 5.3). See best_choice() for what is best; where free ids times `size` exceed
/// kMaxChoiceWork, the first ids in natural order are as good as any. Pure; gRPC's thread.
[[nodiscard]] std::vector<std::string> preferred_units(const Snapshot& snapshot,
                                                       std::span<const std::string> available,
                                                       std::span<const std::string> must_include,
                                                       size_t size);
inline constexpr size_t kMaxChoiceWork = 2'000'000;

}  // namespace patchbay::inventory
