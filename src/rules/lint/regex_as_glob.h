#pragma once

#include <optional>

#include "rules/lint/advice.h"
#include "rules/lint/spec_texts.h"

namespace patchbay::rules {

/// Advice for a regular expression that is written as a file pattern, in the slashes of another
/// language, or as a name without its number. Null for any other.
[[nodiscard]] std::optional<Advice> regex_as_glob(const ComparedValue& value,
                                                  const ComparedText& text);

}  // namespace patchbay::rules
