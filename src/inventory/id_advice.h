#pragma once

#include <span>
#include <string>

#include "model/facts.h"
#include "rules/plan/plan.h"

/// Suggests a better `id` where the configured one does not work. Pure.
namespace patchbay::inventory {

/// Returns a variable with a different value for each device: "usb.socket", "pci.address" or
/// "name". Empty if there is none. Other facts may be unread, so only the paths of the devices are
/// compared. So the result for the two devices of a USB 3 hub is "usb.socket", although they are in
/// one socket. The name of a kernel device is never suggested, because it changes.
[[nodiscard]] std::string distinguishing_variable(std::span<const DeviceFacts* const> devices);

/// Returns how to make the ids of these first devices differ, starting with "; ". Empty: unknown.
[[nodiscard]] std::string advice_on_equal_ids(const rules::GroupPlan& group,
                                              std::span<const DeviceFacts* const> devices);

/// Returns how to replace a value that the device lacks, starting with "; ". Empty: unknown.
[[nodiscard]] std::string advice_on_absent_value(const rules::GroupPlan& group,
                                                 const rules::RenderScope& scope);

}  // namespace patchbay::inventory
