#pragma once

#include <span>
#include <string>
#include <vector>

#include "inventory/resolution.h"
#include "rules/plan/plan_fwd.h"
#include "suggest/suggestion.h"

/// Tries proposals: the engine itself finds the units that they offer on this machine.
namespace patchbay::suggest {

/// A plan with a resource for each suggestion, in their order. Null: none is left.
struct Trial {
  rules::PlanPtr plan;
  std::vector<NotSuggested> failed;
};

/// Compiles the suggestions. Removes those that do not compile. `node`: the name of the node.
[[nodiscard]] Trial compile_trial(std::vector<Suggestion>& suggestions, const std::string& node);

/// Describes the units that the suggestions offer. `resolution` is that of compile_trial(). Removes
/// and returns those that do not offer their device.
[[nodiscard]] std::vector<NotSuggested> describe_trial(const inventory::Resolution& resolution,
                                                       std::vector<Suggestion>& suggestions);

/// Finds the devices in the units of another configuration.
void find_taken(const inventory::Resolution& active, std::span<Suggestion> suggestions);

}  // namespace patchbay::suggest
