#include "cli/commands/case_diff.h"

#include <gtest/gtest.h>

namespace patchbay::cli {
namespace {

std::string diff(const char* expected, const char* found) {
  return case_diff(Json::parse(expected), Json::parse(found));
}

constexpr const char* kTwoUnits =
    R"({"resources": [{"name": "a.io/x", "units": [{"id": "1", "healthy": true}, {"id": "2"}]}]})";

TEST(CaseDiff, EqualOutputsHaveNoDifference) {
  EXPECT_EQ(diff(kTwoUnits, kTwoUnits), "");
  EXPECT_EQ(diff("{}", "{}"), "");
}

TEST(CaseDiff, OrderOfUnitsAndKeysIsIgnored) {
  EXPECT_EQ(diff(kTwoUnits, R"({"resources": [{"units": [{"id": "2"}, {"healthy": true,
                 "id": "1"}], "name": "a.io/x"}]})"),
            "");
}

TEST(CaseDiff, FirstLineCountsUnitsThatAreGone) {
  EXPECT_EQ(diff(kTwoUnits, R"({"resources": [{"name": "a.io/x", "units": [{"id": "2"}]}]})"),
            "a.io/x: 1 unit gone\n"
            "-/resources/a.io/x/units/1: {\"id\":\"1\",\"healthy\":true}\n");
  EXPECT_EQ(diff(kTwoUnits, R"({"resources": [{"name": "a.io/x", "units": []}]})"),
            "a.io/x: 2 units gone\n"
            "-/resources/a.io/x/units/1: {\"id\":\"1\",\"healthy\":true}\n"
            "-/resources/a.io/x/units/2: {\"id\":\"2\"}\n");
}

TEST(CaseDiff, FirstLineCountsEachKindOfChange) {
  EXPECT_EQ(diff(kTwoUnits, R"({"resources": [{"name": "a.io/x", "units":
                 [{"id": "0"}, {"id": "1", "healthy": false}, {"id": "3"}]}]})"),
            "a.io/x: 1 unit gone, 2 units new, 1 unit changed\n"
            "-/resources/a.io/x/units/1/healthy: true\n"
            "+/resources/a.io/x/units/1/healthy: false\n"
            "-/resources/a.io/x/units/2: {\"id\":\"2\"}\n"
            "+/resources/a.io/x/units/0: {\"id\":\"0\"}\n"
            "+/resources/a.io/x/units/3: {\"id\":\"3\"}\n");
}

TEST(CaseDiff, NamesNewRemovedAndChangedResources) {
  EXPECT_EQ(diff(R"({"resources": [{"name": "a.io/x"}, {"name": "a.io/y", "a": [1, 2]}]})",
                 R"({"resources": [{"name": "a.io/y", "a": [1, 3]}, {"name": "a.io/z"}]})"),
            "a.io/x: resource gone; a.io/y: changed; a.io/z: resource new\n"
            "-/resources/a.io/x: {\"name\":\"a.io/x\",\"units\":{}}\n"
            "-/resources/a.io/y/a/1: 2\n+/resources/a.io/y/a/1: 3\n"
            "+/resources/a.io/z: {\"name\":\"a.io/z\",\"units\":{}}\n");
  EXPECT_EQ(diff(R"({"excluded": [{"resource": "a.io/x"}]})", "{}"),
            "the resources are as expected, other fields are not\n"
            "-/excluded: [{\"resource\":\"a.io/x\"}]\n");
}

TEST(CaseDiff, AcceptsAnyJsonAsExpectedOutput) {
  for (const char* text : {"[]", "1", "null", R"("a")", R"({"resources": 1})", R"([{"name": ""}])",
                           R"({"resources": [{"name": "x"}, {"name": "x"}]})",
                           R"({"resources": [{"name": "a.io/x", "units": [{"id": 1}]}]})"}) {
    EXPECT_NE(diff(text, kTwoUnits), "") << text;
  }
  EXPECT_EQ(diff(R"({"a\u001b": "\u001b"})", "{}"),
            "the resources are as expected, other fields are not\n-/a\\x1b: \"\\u001b\"\n");
}

}  // namespace
}  // namespace patchbay::cli
