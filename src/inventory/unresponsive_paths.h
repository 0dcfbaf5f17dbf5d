#pragma once

#include <span>
#include <vector>

#include "inventory/resolution.h"
#include "model/facts.h"
#include "rules/plan/plan.h"

namespace patchbay::inventory {

/// The rules of the plan that wait for unread facts of the device (DeviceFacts::unread), unordered.
/// A rule waits if it needs such a fact, or if an earlier waiting rule may claim the device. Until
/// the facts are read, the device matches none of them. Pure. Any thread.
[[nodiscard]] std::vector<rules::Rule> rules_with_unread_facts(const rules::Plan& plan,
                                                               const DeviceFacts& facts);

/// The facts that rules of `plan` compare and that were not read for `previous`: those that only
/// the new rules need. Sorted. Pure; any thread.
[[nodiscard]] std::vector<FactName> facts_not_read_for(const rules::Plan& previous,
                                                       const rules::Plan& plan,
                                                       const DeviceFacts& facts);

/// By resource of the plan, in its order: the sources that delay it. A source delays a resource
/// with a rule that uses it, as far as this is known.
[[nodiscard]] std::vector<std::vector<UnresponsivePath>> unresponsive_of(
    const rules::Plan& plan, std::span<const Unresponsive> unresponsive);

}  // namespace patchbay::inventory
