#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "rules/compiled.h"

/// Accepted texts without effect, and similar texts that are right. The format of a case:
///
///   === title
///   - {name: a, match: …}     resources, each on its own line or lines
///   ---
///   all output for them; empty in quiet.cases
///
/// PATCHBAY_UPDATE_GOLDEN=1 rewrites the expectations: read the diff.
namespace patchbay::rules {
namespace {

namespace fs = std::filesystem;

const fs::path kCases = fs::path(PATCHBAY_SOURCE_DIR) / "test/rules/unintended";
constexpr std::string_view kHead =
    "apiVersion: patchbay/v1\nkind: Config\ndefaults: {domain: example.com}\nresources:\n";

struct Case {
  std::string title;
  std::string resources;
  std::string expected;
};

std::vector<Case> read_cases(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::vector<Case> cases;
  bool printed = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("=== ")) {
      cases.push_back({line.substr(4), {}, {}});
      printed = false;
    } else if (line == "---") {
      printed = true;
    } else if (!cases.empty()) {
      (printed ? cases.back().expected : cases.back().resources) += line + '\n';
    }
  }
  return cases;
}

/// Writes the cases with their current output.
void write_cases(const fs::path& path, const std::vector<Case>& cases) {
  std::ofstream out(path, std::ios::binary);
  for (const Case& one : cases) {
    out << "=== " << one.title << '\n' << one.resources;
    const auto compiled = compile_files({{"lab.yaml", std::string(kHead) + one.resources}});
    if (!compiled.printed.empty()) out << "---\n" << compiled.printed;
  }
}

void check(const std::string& file, std::string_view severity) {
  const fs::path path = kCases / file;
  if (std::getenv("PATCHBAY_UPDATE_GOLDEN") != nullptr) write_cases(path, read_cases(path));
  const auto cases = read_cases(path);
  ASSERT_FALSE(cases.empty());
  for (const Case& one : cases) {
    const auto compiled = compile_files({{"lab.yaml", std::string(kHead) + one.resources}});
    EXPECT_EQ(compiled.printed, one.expected) << one.title;
    EXPECT_NE(compiled.printed.find(severity), std::string::npos) << one.title;
    for (const config::Diagnostic& diagnostic : compiled.found) {
      EXPECT_NE(diagnostic.hint, "") << diagnostic.message;
    }
  }
}

TEST(IneffectiveTexts, EachListedConfigurationIsWarnedOf) { check("warns.cases", ": warning: "); }
TEST(IneffectiveTexts, EachImpossibleValueIsRejected) { check("refused.cases", ": error: "); }

TEST(IneffectiveTexts, CorrectConfigurationsHaveNoWarning) {
  for (const Case& one : read_cases(kCases / "quiet.cases")) {
    const auto compiled = compile_files({{"lab.yaml", std::string(kHead) + one.resources}});
    EXPECT_EQ(compiled.printed, "") << one.title;
  }
}

}  // namespace
}  // namespace patchbay::rules
