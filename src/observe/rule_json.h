#pragma once

#include <span>

#include "base/json_text.h"
#include "config/diagnostics.h"
#include "rules/mismatch.h"
#include "rules/plan.h"

/// What rules say, as JSON: wherever it is shown it is the same. Pure.
namespace patchbay::observe {

/// `file`, `line` and `column`.
void add_position(const config::Position& at, Json& json);

/// A flat list: what is inside a condition follows it, with a greater `depth`.
[[nodiscard]] Json mismatches_json(std::span<const rules::Mismatch> mismatches);

/// What is not for this node, and why.
[[nodiscard]] Json excluded_json(const rules::Plan& plan);

}  // namespace patchbay::observe
