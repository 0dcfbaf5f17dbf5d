#pragma once

#include <span>
#include <vector>

#include "base/json_text.h"
#include "config/diagnostics.h"
#include "rules/match/mismatch.h"
#include "rules/plan/plan_fwd.h"
#include "status/node_status.h"

/// Writes values about rules as JSON, in the same form in all outputs. Pure.
namespace patchbay::render {

/// Adds `file`, `line` and `column`.
void add_position(const config::Position& at, Json& json);

/// Returns a flat list. Nested mismatches follow their parent, and have a greater `depth`.
[[nodiscard]] Json mismatches_json(std::span<const rules::Mismatch> mismatches);

/// Returns the resources and groups that are excluded on this node, with the reasons.
[[nodiscard]] Json excluded_json(const rules::Plan& plan);

/// Returns the value of `unmatchedGroups`: see schemas/discover.v1.schema.json.
[[nodiscard]] Json unmatched_groups_json(const rules::Plan& plan,
                                         const std::vector<status::UnmatchedGroup>& groups);

}  // namespace patchbay::render
