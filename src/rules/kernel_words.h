#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rules/advice.h"
#include "rules/spec_texts.h"

namespace patchbay::rules {

/// Of a text that is compared with a name of the kernel's (of a subsystem, a device, a driver, a
/// DEVTYPE), and that no device has, or none of the devices that the match finds.
[[nodiscard]] std::optional<Advice> kernel_word_advice(const ComparedValue& value,
                                                       const ComparedText& text);

/// Of Exists, DoesNotExist and words for "absent", which are texts as any other, what to write;
/// empty for any other text.
[[nodiscard]] std::string presence_hint(std::string_view text);

}  // namespace patchbay::rules
