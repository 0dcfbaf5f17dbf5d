#pragma once

#include <span>
#include <vector>

#include "base/json_text.h"
#include "config/diagnostics.h"
#include "rules/match/mismatch.h"
#include "rules/plan/plan_fwd.h"
#include "status/node_status.h"

/// Rules as JSON, in the same form in each output. Pure.
namespace patchbay::render {

/// Adds `file`, `line` and `column`.
void add_position(const config::Position& at, Json& json);

/// A flat list. Nested conditions follow their condition with a greater `depth`.
[[nodiscard]] Json mismatches_json(std::span<const rules::Mismatch> mismatches);

/// The resources and groups that are excluded on this node, and why.
[[nodiscard]] Json excluded_json(const rules::Plan& plan);

/// `unmatchedGroups` of schemas/discover.v1.schema.json.
[[nodiscard]] Json unmatched_groups_json(const rules::Plan& plan,
                                         const std::vector<status::UnmatchedGroup>& groups);

}  // namespace patchbay::render
