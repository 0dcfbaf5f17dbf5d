#pragma once

#include <optional>

#include "rules/advice.h"
#include "rules/spec_texts.h"

namespace patchbay::rules {

/// Of a text that is compared with an address, a number or a path of the kernel's, all values of
/// which have one form, and that can be none of them.
struct AddressFault {
  bool literal = false;  ///< The text stands for itself: it has no wildcards.
  Advice advice;
};
[[nodiscard]] std::optional<AddressFault> address_fault(const ComparedValue& value,
                                                        const ComparedText& text);

}  // namespace patchbay::rules
