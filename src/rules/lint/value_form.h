#pragma once

#include <optional>

#include "rules/lint/advice.h"
#include "rules/lint/spec_texts.h"

namespace patchbay::rules {

/// Advice for a text that differs from the form in which the kernel writes such values. Examples: a
/// path in place of a name, a MAC address with capitals.
[[nodiscard]] std::optional<Advice> unlikely_form(const ComparedValue& value,
                                                  const ComparedText& text);

}  // namespace patchbay::rules
