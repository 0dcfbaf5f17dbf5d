#pragma once

#include <span>
#include <string>

#include "cli/json_text.h"
#include "rules/mismatch.h"
#include "rules/plan.h"

/// What conditions that do not hold look like, wherever they are shown.
namespace patchbay::cli {

/// "lab.yaml:12:5"
[[nodiscard]] std::string place_text(const config::Position& at);

/// Lines, each `lab.yaml:12:5: name: "x" -- name is "y"`; what is inside is indented further.
[[nodiscard]] std::string mismatch_lines(std::span<const rules::Mismatch> mismatches,
                                         const std::string& indent);

/// A flat list: what is inside a condition follows it, with a greater `depth`.
[[nodiscard]] Json mismatches_json(std::span<const rules::Mismatch> mismatches);

/// `file`, `line` and `column`.
void add_position(const config::Position& at, Json& json);

/// What is not for this node, and why.
[[nodiscard]] Json left_out_json(const rules::Plan& plan);

}  // namespace patchbay::cli
