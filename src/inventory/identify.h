#pragma once

#include <algorithm>
#include <memory>
#include <memory_resource>
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
[[nodiscard]] inline size_t counted(size_t listed, size_t nodes) {
  return listed * std::max<size_t>(nodes, 1);
}

/// Whether one of the units, which is shared, has a part with that id. They are in natural order of
/// ids.
[[nodiscard]] bool has_part(const MadeUnits& units, std::string_view id);

/// The units that all resources offer.
struct Offered {
  Offered() = default;
  Offered(Offered&&) = default;
  Offered& operator=(Offered&&) = delete;  // It would take the memory of `owners`.
  ~Offered() = default;

  std::vector<MadeUnitsPtr> by_resource;
  std::unique_ptr<std::pmr::monotonic_buffer_resource> memory =
      std::make_unique<std::pmr::monotonic_buffer_resource>();
  /// Which resource has an id.
  std::pmr::unordered_map<std::string_view, size_t> owners{memory.get()};
};

/// Sees that ids are told apart. What the last call found is kept for resources with the same
/// units as then, so that they are not sorted again, and their lists are the very same. Loop
/// thread.
class Identifier {
 public:
  /// Ids are once in a resource, else all that have one are refused; and once on the node: the
  /// first resource keeps it. What is refused is added to `refusals`. The candidates of a resource
  /// are told in the same order, if they are the same.
  [[nodiscard]] Offered identify(const rules::Plan& plan, std::vector<MadeUnits> candidates,
                                 RefusalsByResource& refusals);

 private:
  /// What is known of a resource.
  struct Known {
    MadeUnits candidates;
    MadeUnits by_id;  ///< The same, in natural order of ids.
    MadeUnitsPtr offered;
  };

  std::vector<Known> known_;  ///< By resource of the plan, which is always the same one.
};

}  // namespace patchbay::inventory
