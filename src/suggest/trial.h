#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "inventory/resolution.h"
#include "rules/plan/plan_fwd.h"
#include "suggest/suggestion.h"

/// Tries proposals: the engine itself finds the units that they offer on this machine.
namespace patchbay::suggest {

/// A resource for each proposal, in their order. `node`: the name of the node. An Error has the
/// position in the proposed configuration.
[[nodiscard]] Result<rules::PlanPtr> plan_of_trial(std::span<const Suggestion> suggestions,
                                                   const std::string& node);

/// Describes the units that the proposals offer. `resolution` is that of plan_of_trial(). Removes
/// and returns those that do not offer their device.
[[nodiscard]] std::vector<NotSuggested> describe_trial(const inventory::Resolution& resolution,
                                                       std::vector<Suggestion>& suggestions);

/// Finds the devices in the units of another configuration.
void find_taken(const inventory::Resolution& active, std::span<Suggestion> suggestions);

}  // namespace patchbay::suggest
