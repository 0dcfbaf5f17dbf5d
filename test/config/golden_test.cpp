#include "fake/golden.h"

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "config/spec_reader.h"

/// Reads each test/golden/config/NAME.yaml and compares the diagnostics with NAME.expected.
/// PATCHBAY_UPDATE_GOLDEN=1 writes these files; check the diff.
namespace patchbay::config {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(PATCHBAY_SOURCE_DIR) / "test/golden/config";

std::set<std::string> names_with(const std::string& extension) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    if (entry.path().extension() == extension) names.insert(entry.path().stem());
  }
  return names;
}

class ConfigGolden : public testing::TestWithParam<std::string> {};

TEST_P(ConfigGolden, PrintsTheExpectedText) {
  const fs::path yaml = kFolder / (GetParam() + ".yaml");
  Diagnostics diagnostics;
  static_cast<void>(
      read_spec(std::make_shared<const Source>(Source{GetParam() + ".yaml", fake::read_text(yaml)}),
                diagnostics));
  const std::string printed = render(diagnostics);
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    EXPECT_GE(diagnostic.at.line, 1) << diagnostic.message;
    EXPECT_GE(diagnostic.at.column, 1) << diagnostic.message;
    EXPECT_NE(diagnostic.hint, "") << diagnostic.message;
  }
  EXPECT_EQ(printed.empty(), diagnostics.ok());
  fake::expect_golden(kFolder / (GetParam() + ".expected"), printed);
}

INSTANTIATE_TEST_SUITE_P(All, ConfigGolden, testing::ValuesIn(names_with(".yaml")),
                         [](const auto& test) { return test.param; });

TEST(ConfigGoldenFolder, EachExpectedOutputHasItsConfiguration) {
  EXPECT_EQ(names_with(".expected"), names_with(".yaml"));
  EXPECT_FALSE(names_with(".yaml").empty());
}

}  // namespace
}  // namespace patchbay::config
