#pragma once

#include <optional>
#include <string_view>

#include "rules/text_shape.h"

namespace patchbay::rules {

/// What a pattern matches, or more.
struct PatternShape {
  TextShape shape;
  bool literal = true;  ///< It has no wildcards, but for the `.` of a regular expression.
};

/// The texts that a glob matches; null if it is none.
[[nodiscard]] std::optional<PatternShape> shape_of_glob(std::string_view glob);

/// The same of a regular expression; null if it has groups, alternatives or anything else beyond
/// characters, classes and repetition.
[[nodiscard]] std::optional<PatternShape> shape_of_regex(std::string_view regex);

}  // namespace patchbay::rules
