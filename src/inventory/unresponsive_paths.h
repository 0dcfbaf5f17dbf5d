#pragma once

#include <span>
#include <vector>

#include "inventory/resolution.h"
#include "model/facts.h"
#include "rules/plan/plan.h"

namespace patchbay::inventory {

/// Returns the rules of the plan that wait for unread facts of the device (DeviceFacts::unread),
/// unordered. A rule waits if it needs an unread fact, or if an earlier waiting rule may claim the
/// device. Until the facts are read, the device does not match these rules. Pure. Any thread.
[[nodiscard]] std::vector<rules::Rule> rules_with_unread_facts(const rules::Plan& plan,
                                                               const DeviceFacts& facts);

/// Returns the facts of the device that a rule of `plan` compares and no rule of `previous`
/// compares. These facts were not read before. Sorted. Pure; any thread.
[[nodiscard]] std::vector<FactName> facts_not_read_for(const rules::Plan& previous,
                                                       const rules::Plan& plan,
                                                       const DeviceFacts& facts);

/// Returns the unresponsive paths that delay each resource, in the order of the plan. A path delays
/// a resource if a rule of the resource uses or may use the path. Pure.
[[nodiscard]] std::vector<std::vector<UnresponsivePath>> unresponsive_of(
    const rules::Plan& plan, std::span<const Unresponsive> unresponsive);

}  // namespace patchbay::inventory
