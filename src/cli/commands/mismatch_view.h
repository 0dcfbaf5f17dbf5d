#pragma once

#include <span>
#include <string>

#include "rules/match/mismatch.h"
#include "rules/plan/plan.h"

/// The text of failed conditions, for all commands.
namespace patchbay::cli {

/// "lab.yaml:12:5"
[[nodiscard]] std::string position_text(const config::Position& at);

/// One line for each condition: `lab.yaml:12:5: name: "x" -- name is "y"`. Conditions inside
/// another one are indented.
[[nodiscard]] std::string mismatch_lines(std::span<const rules::Mismatch> mismatches,
                                         const std::string& indent);

}  // namespace patchbay::cli
