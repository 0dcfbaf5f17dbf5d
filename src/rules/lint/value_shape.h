#pragma once

#include <optional>
#include <string>

#include "rules/lint/advice.h"
#include "rules/lint/spec_texts.h"

namespace patchbay::rules {

/// Advice for a text that an attribute, a property or a file never equals, because the kernel or
/// udev writes the value in another form. Examples: true for 1, 10de for 0x10de, ranges and
/// operators.
[[nodiscard]] std::optional<Advice> value_shape_advice(const ComparedValue& value,
                                                       const ComparedText& text);

/// The condition that a text with an operator or a range means: "{ge: 0, le: 3}" for "0-3". Empty
/// if the text has neither.
[[nodiscard]] std::string as_bounds(const std::string& text);

}  // namespace patchbay::rules
