#pragma once

#include <span>
#include <string>

#include "base/facts.h"
#include "rules/plan.h"

/// What would make an id where the one that the configuration gives does not do. Pure.
namespace patchbay::inventory {

/// The variable that each of the devices has and that is another for each, "usb.socket",
/// "usb.port", "pci.address" or "name"; empty if none of these is. Told by their places alone,
/// since other facts were perhaps not read; a kernel device's name is no advice, since it changes.
[[nodiscard]] std::string distinguishing_variable(std::span<const DeviceFacts* const> devices);

/// What to do about units that make the same id, from "; " on; empty if nothing is known that
/// would do.
[[nodiscard]] std::string advice_on_equal_ids(const rules::GroupPlan& group,
                                              std::span<const DeviceFacts* const> devices);

/// What to do about a value that an id needs and the device does not have, from "; " on; empty if
/// nothing is known that would do.
[[nodiscard]] std::string advice_on_absent_value(const rules::GroupPlan& group,
                                                 const rules::RenderScope& scope);

}  // namespace patchbay::inventory
