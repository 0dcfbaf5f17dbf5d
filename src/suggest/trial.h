#pragma once

#include <span>
#include <string>
#include <vector>

#include "inventory/resolution.h"
#include "rules/plan/plan_fwd.h"
#include "suggest/suggestion.h"

/// Tries proposals: compiles them, and finds the units that they offer on this machine.
namespace patchbay::suggest {

/// The result of compile_trial().
struct Trial {
  /// Has one resource for each remaining suggestion, in their order. Null if none remains, or if
  /// the suggestions cannot be in one configuration.
  rules::PlanPtr plan;
  std::vector<NotSuggested> failed;
};

/// Compiles the suggestions. Removes those that do not compile. `node` is the name of the node.
[[nodiscard]] Trial compile_trial(std::vector<Suggestion>& suggestions, const std::string& node);

/// Describes the units that the suggestions offer. `resolution` is the result of a scan with the
/// plan of compile_trial(). Removes and returns the suggestions that do not offer their device.
[[nodiscard]] std::vector<NotSuggested> describe_trial(const inventory::Resolution& resolution,
                                                       std::vector<Suggestion>& suggestions);

/// Sets Suggestion::taken for devices that units of another configuration have.
void find_taken(const inventory::Resolution& active, std::span<Suggestion> suggestions);

}  // namespace patchbay::suggest
