#pragma once

#include <cstdint>
#include <string_view>

#include "rules/plan.h"

namespace patchbay::inventory {

struct Allocation;
struct UnitMembers;

/// Whether a container that has a unit gets nothing with it, and why.
enum class EmptyAllocation : uint8_t {
  no,  ///< It gets something, or the configuration says that it gets nothing (`devices: []`).
  usb_interface,
  network_interface,
  no_node,  ///< A kernel device of another kind.
  directory,
  file,
};
inline constexpr size_t kEmptyAllocationKinds = 6;

/// `given`: all that a container with this unit alone would get. Pure.
[[nodiscard]] EmptyAllocation find_empty_allocation(const rules::ResourcePlan& resource,
                                                    const UnitMembers& members,
                                                    const Allocation& given);

/// The cause, for people: "a USB interface has no device node"; empty for `no`.
[[nodiscard]] std::string_view cause_of(EmptyAllocation why);
/// What to write in the configuration instead.
[[nodiscard]] std::string_view advice_on(EmptyAllocation why);

}  // namespace patchbay::inventory
