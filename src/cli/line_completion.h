#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Completes the command lines of `run --standalone`, for the Tab key. Pure.
namespace patchbay::cli {

/// A resource and the ids in the kubelet's list.
struct ListedUnits {
  std::string resource;
  std::vector<std::string> ids;
};

struct Completion {
  std::string insertion;  ///< The only possible continuation; empty if there is none or several.
  std::vector<std::string> choices;  ///< All completions of the word, in natural order.
};

/// Completes the line up to the cursor: a command, a resource, then ids that are not yet in the
/// line. Resources have no domain, unless the typed text begins with one.
[[nodiscard]] Completion complete_line(std::string_view before_cursor,
                                       const std::vector<ListedUnits>& listed);

}  // namespace patchbay::cli
