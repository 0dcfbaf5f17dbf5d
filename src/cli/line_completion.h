#pragma once

#include <string>
#include <string_view>
#include <vector>

/// What Tab offers in the lines that `run --standalone` takes. Pure.
namespace patchbay::cli {

/// A resource and the ids that the kubelet has of it.
struct ListedUnits {
  std::string resource;
  std::vector<std::string> ids;
};

struct Completion {
  std::string insertion;             ///< What can only follow; empty: nothing, or not known which.
  std::vector<std::string> choices;  ///< All that the word can become, in natural order.
};

/// For the line up to the cursor: a command, a resource, then ids that it does not name yet.
/// Resources are offered without their domain, unless what is typed begins with it.
[[nodiscard]] Completion complete_line(std::string_view before_cursor,
                                       const std::vector<ListedUnits>& listed);

}  // namespace patchbay::cli
