#pragma once

#include <optional>

#include "rules/advice.h"
#include "rules/spec_texts.h"

namespace patchbay::rules {

/// Of a text that is compared with the whole of a file of many lines, and can only be a part of it.
[[nodiscard]] std::optional<Advice> part_of_file_advice(const ComparedValue& value,
                                                        const ComparedText& text);

}  // namespace patchbay::rules
