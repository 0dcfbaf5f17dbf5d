#pragma once

#include <optional>

#include "rules/advice.h"
#include "rules/spec_texts.h"

namespace patchbay::rules {

/// Of a regular expression that its author took for a pattern of files, or that has the slashes of
/// another language around it, or that is a name without its number.
[[nodiscard]] std::optional<Advice> regex_as_glob(const ComparedValue& value,
                                                  const ComparedText& text);

}  // namespace patchbay::rules
