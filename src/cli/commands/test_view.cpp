#include "cli/commands/test_view.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands/config_input.h"
#include "cli/terminal/table.h"

namespace patchbay::cli {
namespace {

/// The word for JSON.
std::string_view outcome_word(CaseResult::Outcome outcome) {
  switch (outcome) {
    case CaseResult::Outcome::passed:
      return "pass";
    case CaseResult::Outcome::failed:
      return "fail";
    case CaseResult::Outcome::written:
      return "written";
    case CaseResult::Outcome::unchanged:
      return "unchanged";
  }
  return "";
}

std::ptrdiff_t failed_cases(const std::vector<CaseResult>& results) {
  return std::ranges::count(results, CaseResult::Outcome::failed, &CaseResult::outcome);
}

/// Milliseconds are enough.
double rounded(double seconds) { return std::round(seconds * 1000) / 1000; }

Style style_of(std::string_view diff_line) {
  if (diff_line.starts_with('-')) return Style::bad;
  return diff_line.starts_with('+') ? Style::good : Style::plain;
}

/// The lines below the line of a failed case.
std::string failure_lines(const CaseResult& result, bool color) {
  std::string text;
  for (const auto line : split(result.error, '\n')) {
    if (!line.empty()) text += fmt::format("    {}\n", line);
  }
  for (const auto line : split(result.diff, '\n')) {
    if (!line.empty()) text += fmt::format("    {}\n", colored(line, style_of(line), color));
  }
  return text;
}

}  // namespace

std::string case_text(const CaseResult& result, bool verbose, bool color) {
  const std::string file = printable(case_file(result.test_case, kCaseExpected), 500);
  const auto headline = [&](const char* word) {
    return fmt::format("--- {}: {} ({:.2f}s)", word, printable(result.test_case.name, 500),
                       result.seconds);
  };
  switch (result.outcome) {
    case CaseResult::Outcome::passed:
      return verbose ? headline("PASS") + "\n" : "";
    case CaseResult::Outcome::failed:
      return colored(headline("FAIL"), Style::bad, color) + "\n" + failure_lines(result, color);
    case CaseResult::Outcome::written:
      return "written    " + file + "\n";
    case CaseResult::Outcome::unchanged:
      return "unchanged  " + file + "\n";
  }
  return "";
}

std::string summary_text(const std::vector<CaseResult>& results, double seconds, bool color) {
  const auto failed = failed_cases(results);
  const std::string cases = count_text(results.size(), "case");
  const std::string text =
      failed == 0 ? "ok: " + cases : fmt::format("FAIL: {} of {}", failed, cases);
  return fmt::format("{} ({:.2f}s)\n", colored(text, failed == 0 ? Style::good : Style::bad, color),
                     seconds);
}

Json results_json(const std::vector<CaseResult>& results, double seconds) {
  Json json;
  json["passed"] = all_passed(results);
  json["seconds"] = rounded(seconds);
  json["cases"] = Json::array();
  for (const CaseResult& result : results) {
    json["cases"].push_back({{"name", result.test_case.name},
                             {"directory", result.test_case.directory},
                             {"result", outcome_word(result.outcome)},
                             {"seconds", rounded(result.seconds)},
                             {"diff", result.diff},
                             {"error", result.error}});
  }
  return json;
}

bool all_passed(const std::vector<CaseResult>& results) { return failed_cases(results) == 0; }

}  // namespace patchbay::cli
