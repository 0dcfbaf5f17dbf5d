#pragma once

#include <optional>

#include "rules/advice.h"
#include "rules/spec_texts.h"

namespace patchbay::rules {

/// Of a text that is no value of its kind as the kernel writes it: a path where a name is compared,
/// a MAC address with capitals.
[[nodiscard]] std::optional<Advice> unlikely_form(const ComparedValue& value,
                                                  const ComparedText& text);

}  // namespace patchbay::rules
