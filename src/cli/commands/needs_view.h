#pragma once

#include <span>
#include <string>

#include "base/json_text.h"
#include "rules/needs/need.h"

namespace patchbay::cli {

/// The needs of a configuration beyond the manifest, by kind, and the patch for them; empty if
/// there are none.
[[nodiscard]] std::string needs_text(std::span<const rules::Need> needs);

/// The needs as a list, without the patch.
[[nodiscard]] Json needs_json(std::span<const rules::Need> needs);

}  // namespace patchbay::cli
