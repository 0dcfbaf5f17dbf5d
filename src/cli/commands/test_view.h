#pragma once

#include <string>
#include <vector>

#include "base/json_text.h"
#include "cli/commands/test_cases.h"

/// Formats the results of `patchbay test` as text and JSON. Pure.
namespace patchbay::cli {

struct CaseResult {
  enum class Outcome {
    passed,
    failed,
    written,    ///< --update wrote the expected output.
    unchanged,  ///< --update wrote nothing.
  };

  TestCase test_case;
  Outcome outcome = Outcome::passed;
  std::string diff{};   ///< From case_diff().
  std::string error{};  ///< Can have several lines.
  double seconds = 0;
};

/// Returns the lines of one case. Empty for a case that passed, unless `verbose`.
[[nodiscard]] std::string case_text(const CaseResult& result, bool verbose, bool color);

/// Returns the last line of the output: how many cases failed.
[[nodiscard]] std::string summary_text(const std::vector<CaseResult>& results, double seconds,
                                       bool color);

/// Returns the results as JSON. The format is a stable interface (schemas/test.v1.schema.json).
[[nodiscard]] Json results_json(const std::vector<CaseResult>& results, double seconds);

[[nodiscard]] bool all_passed(const std::vector<CaseResult>& results);

}  // namespace patchbay::cli
