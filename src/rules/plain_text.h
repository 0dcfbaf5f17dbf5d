#pragma once

#include <optional>
#include <string_view>

#include "config/diagnostics.h"

namespace patchbay::rules {

/// Whether `\` takes the next character literally in a text, which then begins no variable.
enum class Escapes { none, backslash };

/// Where the first $(…) begins in a text of a condition or pattern, in which `$$(` stands for the
/// two characters; none: it holds none.
[[nodiscard]] std::optional<size_t> find_variable(std::string_view text, Escapes escapes);

/// Reports a $(…) in a text where nothing is expanded, which would else be compared as it stands
/// and be found nowhere. False if there is one. `context`: "a pattern of glob:"; `hint`: what to
/// write.
bool check_plain(const config::Located<std::string>& text, Escapes escapes,
                 std::string_view context, std::string_view hint, config::Diagnostics& diagnostics);

/// Reports a wildcard in the path of a file, where it would be a part of the name.
void check_one_file(const config::Located<std::string>& path, config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
