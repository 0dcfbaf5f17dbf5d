#pragma once

#include <string>
#include <string_view>

namespace patchbay::cli {

/// The hunks of a unified diff between two texts of whole lines, with three lines of context. Empty
/// if the texts are equal. Time n log n and memory n for n lines. Lines that occur once in both
/// texts align them, so the result can be longer than the shortest diff. Pure.
[[nodiscard]] std::string unified_diff(std::string_view before, std::string_view after);

}  // namespace patchbay::cli
