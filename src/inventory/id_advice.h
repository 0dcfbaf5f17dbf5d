#pragma once

#include <span>
#include <string>

#include "model/facts.h"
#include "rules/plan/plan.h"

/// Suggests a better `id` where the configured one does not work. Pure.
namespace patchbay::inventory {

/// A variable that every device has with a different value: "usb.socket", "pci.address" or "name".
/// Empty if there is none. Only the devices' paths are used, because other facts may be unread. So
/// the two devices of a USB 3 hub get "usb.socket", although they are in one socket. A kernel
/// device's name is never suggested, because it changes.
[[nodiscard]] std::string distinguishing_variable(std::span<const DeviceFacts* const> devices);

/// How to make the ids of these units differ, starting with "; ". Empty if no solution is known.
[[nodiscard]] std::string advice_on_equal_ids(const rules::GroupPlan& group,
                                              std::span<const DeviceFacts* const> devices);

/// How to replace a value that an id needs and the device lacks, starting with "; ". Empty if no
/// solution is known.
[[nodiscard]] std::string advice_on_absent_value(const rules::GroupPlan& group,
                                                 const rules::RenderScope& scope);

}  // namespace patchbay::inventory
