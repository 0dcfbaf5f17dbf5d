#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rules/advice.h"
#include "rules/spec_texts.h"

namespace patchbay::rules {

/// Advice for a text that is compared with the kernel name of a subsystem, a device, a driver or a
/// DEVTYPE. Null unless no device has this name, or no device that the match finds.
[[nodiscard]] std::optional<Advice> kernel_name_advice(const ComparedValue& value,
                                                       const ComparedText& text);

/// The hint for Exists, DoesNotExist and words for "absent", which are compared as texts. Empty for
/// any other text.
[[nodiscard]] std::string presence_hint(std::string_view text);

}  // namespace patchbay::rules
