#pragma once

#include <optional>

#include "rules/lint/advice.h"
#include "rules/lint/spec_texts.h"

namespace patchbay::rules {

/// Advice for a text that is compared with a whole file of many lines but can equal only one line
/// or word. Null for any other text.
[[nodiscard]] std::optional<Advice> multiline_file_advice(const ComparedValue& value,
                                                          const ComparedText& text);

}  // namespace patchbay::rules
