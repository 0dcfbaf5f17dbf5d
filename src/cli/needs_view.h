#pragma once

#include <span>
#include <string>

#include "base/json_text.h"
#include "rules/need.h"

namespace patchbay::cli {

/// What a configuration needs beyond the manifest, by kind, and the patch that gives it; empty if
/// it needs nothing.
[[nodiscard]] std::string needs_text(std::span<const rules::Need> needs);

/// The same as a list, without the patch.
[[nodiscard]] Json needs_json(std::span<const rules::Need> needs);

}  // namespace patchbay::cli
