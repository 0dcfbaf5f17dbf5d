#pragma once

#include <span>
#include <string>

#include "model/facts.h"
#include "rules/plan/plan.h"

/// Suggests a better `id` where the configured one does not work. Pure.
namespace patchbay::inventory {

/// Returns a variable with a different value for each device: "usb.socket", "pci.address" or
/// "name". Empty if there is none. Only the paths of the devices are compared, because other facts
/// may be unread. The two devices of a USB 3 hub have different paths, so for them the result is
/// "usb.socket", although they are in the same socket. The name of a kernel device is never
/// suggested, because it changes.
[[nodiscard]] std::string distinguishing_variable(std::span<const DeviceFacts* const> devices);

/// Returns advice on how to make the ids of these first devices differ. The text starts with "; ",
/// or is empty if there is no advice.
[[nodiscard]] std::string advice_on_equal_ids(const rules::GroupPlan& group,
                                              std::span<const DeviceFacts* const> devices);

/// Returns advice on how to replace a value that the device lacks. The text starts with "; ", or is
/// empty if there is no advice.
[[nodiscard]] std::string advice_on_absent_value(const rules::GroupPlan& group,
                                                 const rules::RenderScope& scope);

}  // namespace patchbay::inventory
