#pragma once

#include <optional>

#include "rules/lint/advice.h"
#include "rules/lint/spec_texts.h"

namespace patchbay::rules {

/// A compared text that no address, number or path of the kernel can equal. All values of such a
/// key have one form.
struct AddressFault {
  bool literal = false;  ///< The text has no wildcards.
  Advice advice;
};
[[nodiscard]] std::optional<AddressFault> address_fault(const ComparedValue& value,
                                                        const ComparedText& text);

}  // namespace patchbay::rules
