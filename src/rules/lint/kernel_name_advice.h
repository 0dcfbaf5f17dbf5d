#pragma once

#include <optional>

#include "rules/lint/advice.h"
#include "rules/lint/spec_texts.h"

namespace patchbay::rules {

/// Advice for a text that is compared with the kernel name of a subsystem, a device, a driver or a
/// DEVTYPE. Null unless no device has this name, or no device that the match finds.
[[nodiscard]] std::optional<Advice> kernel_name_advice(const ComparedValue& value,
                                                       const ComparedText& text);

}  // namespace patchbay::rules
