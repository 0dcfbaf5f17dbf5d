#pragma once

#include <optional>
#include <string>

#include "rules/advice.h"
#include "rules/spec_texts.h"

namespace patchbay::rules {

/// Of a text that an attribute, a property or a file never is, because the kernel or udev writes
/// that value in another way: true for 1, 10de for 0x10de, a range, an operator.
[[nodiscard]] std::optional<Advice> value_shape_advice(const ComparedValue& value,
                                                       const ComparedText& text);

/// What a text with an operator, or of two numbers, says as a condition: "{ge: 0, le: 3}" of "0-3".
/// Empty: it is none.
[[nodiscard]] std::string as_bounds(const std::string& text);

}  // namespace patchbay::rules
