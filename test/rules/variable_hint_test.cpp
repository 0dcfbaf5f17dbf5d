#include "rules/text/variable_hint.h"

#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/text.h"

namespace patchbay::rules {
namespace {

TEST(ForeignVariables, ReplacementsAreExistingVariables) {
  std::set<std::string_view> seen;
  for (const ForeignVariable& foreign : foreign_variables()) {
    const std::string_view word = foreign.replacement.substr(0, foreign.replacement.find('.'));
    const VariableInfo* const variable = find_variable(word);
    ASSERT_NE(variable, nullptr) << foreign.replacement;
    if (foreign.replacement.contains('.')) {
      EXPECT_TRUE(variable->has_argument) << foreign.replacement;
    }
    for (const std::string_view theirs : split(foreign.words, ' ')) {
      EXPECT_EQ(find_variable(theirs), nullptr) << theirs;
      EXPECT_TRUE(seen.insert(theirs).second) << theirs;
    }
  }
}

TEST(ForeignVariables, KeepSuffixAfterName) {
  EXPECT_EQ(suggest_variable("attr.device/vendor"), "attribute.device/vendor");
  EXPECT_EQ(suggest_variable("ATTRS.x"), "attribute.x");
  EXPECT_EQ(suggest_variable("udev.ID_SERIAL"), "property.ID_SERIAL");
  EXPECT_EQ(suggest_variable("ID_SERIAL"), "property.ID_SERIAL");
  EXPECT_EQ(suggest_variable("NODE_NAME"), "node");
  EXPECT_EQ(suggest_variable("serial.x"), "usb.serial");
  EXPECT_EQ(suggest_variable("nothing"), "");
}

TEST(VariableExamples, ExistForVariablesWithArguments) {
  for (const RuleKind kind : {RuleKind::subsystem, RuleKind::sysfs}) {
    for (const std::string_view word : variable_words(kind)) {
      const VariableInfo& variable = *find_variable(word);
      EXPECT_EQ(variable.example.empty(), !variable.has_argument) << word;
    }
  }
}

}  // namespace
}  // namespace patchbay::rules
