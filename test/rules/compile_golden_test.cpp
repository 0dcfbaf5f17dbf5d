#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fake/golden.h"
#include "rules/compiled.h"

/// Each golden/NAME.yaml has mistakes that the compiler finds, and each warns_NAME.yaml causes
/// warnings only. The test compares the output with NAME.expected. PATCHBAY_UPDATE_GOLDEN=1 writes
/// these files; check the diff.
namespace patchbay::rules {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(PATCHBAY_SOURCE_DIR) / "test/rules/golden";

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".yaml") out.push_back(entry.path().stem());
  }
  std::ranges::sort(out);
  return out;
}

class CompileGolden : public testing::TestWithParam<std::string> {};

TEST_P(CompileGolden, PrintsTheExpectedText) {
  const Compiled compiled =
      compile_files({{GetParam() + ".yaml", fake::read_text(kFolder / (GetParam() + ".yaml"))}});
  EXPECT_EQ(compiled.plan != nullptr, GetParam().starts_with("warns_")) << compiled.printed;
  for (const config::Diagnostic& diagnostic : compiled.found) {
    EXPECT_GE(diagnostic.at.line, 1) << diagnostic.message;
    EXPECT_GE(diagnostic.at.column, 1) << diagnostic.message;
    EXPECT_NE(diagnostic.hint, "") << diagnostic.message;
  }
  fake::expect_golden(kFolder / (GetParam() + ".expected"), compiled.printed);
}

INSTANTIATE_TEST_SUITE_P(All, CompileGolden, testing::ValuesIn(names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace patchbay::rules
