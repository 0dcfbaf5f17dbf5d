#pragma once

#include <string>
#include <vector>

#include "base/json_text.h"
#include "suggest/suggestion.h"

namespace patchbay::cli {

/// The result of `suggest`.
struct SuggestionReport {
  bool recorded = false;  ///< The machine is a recorded one.
  bool sees_node = true;  ///< The mounts, swap space and routes of the node are known.
  std::vector<suggest::Suggestion> suggestions;
  std::vector<suggest::Suggestion> doubtful;  ///< With --all.
  std::vector<std::string> libusb;  ///< Nodes for libusb of devices that have other nodes.
  std::vector<suggest::NotSuggested> others;
};

/// A configuration with comments, or only the items of `resources`.
[[nodiscard]] std::string suggestion_text(const SuggestionReport& report, bool resources_only);

[[nodiscard]] Json suggestion_json(const SuggestionReport& report);

}  // namespace patchbay::cli
