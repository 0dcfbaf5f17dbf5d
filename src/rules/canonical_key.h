#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Keys for comparing rules by what they mean: two rules with one key accept the same values.
/// No other rule has that key.
namespace patchbay::rules {

/// Appends a text with its length before it, so that two lists of texts never read the same.
void add_text(std::string& key, std::string_view text);

/// The key of a list. `ordered`: its order counts. Otherwise neither order nor repeats count.
[[nodiscard]] std::string list_key(std::string_view kind, std::vector<std::string> subkeys,
                                   bool ordered);

}  // namespace patchbay::rules
