#pragma once

#include <string>

#include "base/json_text.h"

namespace patchbay::cli {

/// Returns how the output of a test case differs from its expected output; empty if they are equal.
/// Resources are compared by name, and units by id. The first line is a sentence. Each other line
/// is a value that is only in the expected output ("-") or only in the found one ("+"). Pure.
[[nodiscard]] std::string case_diff(const Json& expected, const Json& found);

}  // namespace patchbay::cli
