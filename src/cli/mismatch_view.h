#pragma once

#include <span>
#include <string>

#include "rules/mismatch.h"
#include "rules/plan.h"

/// What conditions that do not hold look like, wherever they are shown.
namespace patchbay::cli {

/// "lab.yaml:12:5"
[[nodiscard]] std::string position_text(const config::Position& at);

/// Lines, each `lab.yaml:12:5: name: "x" -- name is "y"`; what is inside is indented further.
[[nodiscard]] std::string mismatch_lines(std::span<const rules::Mismatch> mismatches,
                                         const std::string& indent);

}  // namespace patchbay::cli
