#pragma once

#include <cstdint>
#include <string_view>

#include "rules/plan/plan_fwd.h"

namespace patchbay::inventory {

struct Allocation;
struct UnitMembers;

/// Whether a unit gives a container nothing, and why.
enum class EmptyAllocation : uint8_t {
  no,  ///< The container gets something, or the configuration says that it gets nothing (`devices:
       ///< []`).
  usb_interface,
  network_interface,
  no_node,  ///< A kernel device of another kind.
  directory,
  file,
};
inline constexpr size_t kEmptyAllocationKinds = 6;

/// `given`: everything that a container with only this unit would get. Pure.
[[nodiscard]] EmptyAllocation find_empty_allocation(const rules::ResourcePlan& resource,
                                                    const UnitMembers& members,
                                                    const Allocation& given);

/// The cause as text: "a USB interface has no device node"; empty for `no`.
[[nodiscard]] std::string_view cause_of(EmptyAllocation why);
/// The text that says how to change the configuration.
[[nodiscard]] std::string_view advice_on(EmptyAllocation why);

}  // namespace patchbay::inventory
