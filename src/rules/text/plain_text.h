#pragma once

#include <optional>
#include <string_view>

#include "config/diagnostics.h"

namespace patchbay::rules {

/// Whether `\` escapes the next character of a text, so that `\$(` does not begin a variable.
enum class Escapes { none, backslash };

/// Returns the offset of the first $(…) in a text of a condition or pattern. In such a text, `$$(`
/// stands for the two characters `$(`. Null if there is no variable.
[[nodiscard]] std::optional<size_t> find_variable(std::string_view text, Escapes escapes);

/// Reports a $(…) in a text where variables are not expanded, and then returns false. Such a $(…)
/// would be compared literally and match nothing. `context` is the text's role, such as "a pattern
/// of glob:". `hint` says what to write instead.
bool check_plain(const config::Located<std::string>& text, Escapes escapes,
                 std::string_view context, std::string_view hint, config::Diagnostics& diagnostics);

/// Reports a wildcard in the path of a file, where wildcards are not expanded.
void check_one_file(const config::Located<std::string>& path, config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
