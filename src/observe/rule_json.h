#pragma once

#include <span>

#include "base/json_text.h"
#include "config/diagnostics.h"
#include "rules/mismatch.h"
#include "rules/plan.h"

/// Rules as JSON, in the same form in each output. Pure.
namespace patchbay::observe {

/// Adds `file`, `line` and `column`.
void add_position(const config::Position& at, Json& json);

/// A flat list. Nested conditions follow their condition with a greater `depth`.
[[nodiscard]] Json mismatches_json(std::span<const rules::Mismatch> mismatches);

/// The resources and groups that are excluded on this node, and why.
[[nodiscard]] Json excluded_json(const rules::Plan& plan);

}  // namespace patchbay::observe
