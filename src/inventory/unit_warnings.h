#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "inventory/resolution.h"
#include "rules/plan/plan_fwd.h"

namespace patchbay::inventory {

struct Allocation;

/// Returns whether the unit gives a container nothing, and why. `given`: everything that a
/// container with only this unit would get. Pure.
[[nodiscard]] EmptyAllocation find_empty_allocation(const rules::ResourcePlan& resource,
                                                    const UnitMembers& members,
                                                    const Allocation& given);

/// The cause as text: "a USB interface has no device node"; empty for `no`.
[[nodiscard]] std::string_view cause_of(EmptyAllocation why);
/// How to change the configuration, as text; empty for `no`.
[[nodiscard]] std::string_view advice_on(EmptyAllocation why);

/// A problem that makes offered units useless as they are configured.
struct UnitWarning {
  static constexpr size_t kMaxListedUnits = 8;
  std::string reason;                ///< For people: state, cause, and action.
  std::vector<std::string> units{};  ///< Ids of the first kMaxListedUnits affected units.
  size_t count = 0;                  ///< The number of affected units.
};

/// One warning for each kind of EmptyAllocation, and one for each shared node. Pure.
[[nodiscard]] std::vector<UnitWarning> warnings_of(const ResolvedResource& resource);

/// "/dev/vfio/56 is given by 4 units: make one unit of them: …"
[[nodiscard]] std::string shared_node_text(const SharedNode& node);

}  // namespace patchbay::inventory
