#include "config/cases.h"

#include <array>
#include <filesystem>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "config/spec_reader.h"
#include "rules/compile.h"

namespace patchbay::rules {
namespace {

const std::filesystem::path kCases = PATCHBAY_SOURCE_DIR "/test/rules/cases";

config::Diagnostics diagnostics_of(const std::string& text, bool accepted) {
  config::Diagnostics diagnostics;
  const std::array specs{config::read_spec(
      std::make_shared<const config::Source>(config::Source{"lab.yaml", text}), diagnostics)};
  const PlanPtr plan = compile(specs, {.node = "bench-1"}, diagnostics);
  EXPECT_EQ(plan != nullptr, accepted);
  return diagnostics;
}

config::Diagnostics accepted(const std::string& text) { return diagnostics_of(text, true); }
config::Diagnostics refused(const std::string& text) { return diagnostics_of(text, false); }

TEST(RulesCases, EachIneffectiveRuleCausesWarning) {
  config::expect_cases(kCases / "warns.cases", ": warning: ", accepted);
}
TEST(RulesCases, SimilarCorrectRulesHaveNoWarning) {
  config::expect_cases(kCases / "quiet.cases", "", accepted);
}
TEST(RulesCases, EachMistakeIsRejected) {
  config::expect_cases(kCases / "refused.cases", ": error: ", refused);
}

}  // namespace
}  // namespace patchbay::rules
