#pragma once

#include <string>

#include "base/json_text.h"

namespace patchbay::cli {

/// The difference between the expected output of a case and the found one, by names of resources
/// and ids of units. The first line is a sentence. Each other line is a value: "-" is expected, "+"
/// is found. Empty if they are equal. Pure.
[[nodiscard]] std::string case_diff(const Json& expected, const Json& found);

}  // namespace patchbay::cli
