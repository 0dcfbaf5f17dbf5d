#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "inventory/resolution.h"
#include "rules/plan/plan_fwd.h"

namespace patchbay::inventory {

struct Allocation;

/// `given`: everything that a container with only this unit would get. Pure.
[[nodiscard]] EmptyAllocation find_empty_allocation(const rules::ResourcePlan& resource,
                                                    const UnitMembers& members,
                                                    const Allocation& given);

/// The cause as text: "a USB interface has no device node"; empty for `no`.
[[nodiscard]] std::string_view cause_of(EmptyAllocation why);
/// The text that says how to change the configuration.
[[nodiscard]] std::string_view advice_on(EmptyAllocation why);

/// A problem that makes offered units useless as they are configured.
struct UnitWarning {
  static constexpr size_t kMaxListedUnits = 8;
  std::string reason;                ///< State, cause, and action.
  std::vector<std::string> units{};  ///< The ids of the first kMaxListedUnits of them.
  size_t count = 0;                  ///< The number of affected units.
};

/// One warning for each kind of EmptyAllocation, and one for each shared node. Pure.
[[nodiscard]] std::vector<UnitWarning> warnings_of(const ResolvedResource& resource);

/// "/dev/vfio/56 is given by 4 units: make one unit of them: …"
[[nodiscard]] std::string shared_node_text(const SharedNode& node);

}  // namespace patchbay::inventory
