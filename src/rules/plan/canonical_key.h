#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Keys that compare rules by their meaning: two rules with the same key accept the same values.
/// Different rules have different keys.
namespace patchbay::rules {

/// Appends a text with its length in front, so that different lists of texts give different keys.
void add_text(std::string& key, std::string_view text);

/// The key of a list. `ordered`: order and duplicates are significant.
[[nodiscard]] std::string list_key(std::string_view kind, std::vector<std::string> subkeys,
                                   bool ordered);

}  // namespace patchbay::rules
