#include "suggest/kinds.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "model/fact.h"
#include "rules/plan/plan.h"

namespace patchbay::suggest {
namespace {

TEST(Kinds, EachRowIsComplete) {
  ASSERT_GT(kinds().size(), 40U);
  const auto plan = plan_of(kinds());
  ASSERT_NE(plan, nullptr) << "kinds.yaml has a mistake";
  EXPECT_EQ(plan->resources.size(), kinds().size());
  for (const KindPtr& kind : kinds()) {
    EXPECT_NE(kind->about, "");
    EXPECT_NE(config::text_of(kind->rule, "name"), "") << kind->about;
  }
}

TEST(Kinds, UseOnlyKnownFacts) {
  const auto is_fact = [](const std::string& variable) {
    return find_fact(variable.substr(0, variable.find('.'))) != nullptr;
  };
  for (const KindPtr& kind : kinds()) {
    for (const auto* lists : {&kind->like, &kind->one}) {
      for (const auto& variables : *lists) {
        EXPECT_FALSE(variables.empty()) << kind->about;
        for (const std::string& variable : variables) EXPECT_TRUE(is_fact(variable)) << variable;
      }
    }
  }
}

TEST(Kinds, UnknownKindIsNamedAfterSubsystemOrNode) {
  EXPECT_EQ(config::text_of(unknown_kind(*owners().back(), {"v4l_x"}, "v4l_x")->rule, "name"),
            "v4l-x");
  EXPECT_EQ(config::text_of(node_kind("/dev/nvidiactl")->rule, "name"), "nvidiactl");
  EXPECT_EQ(config::text_of(node_kind("/dev/_")->rule, "name"), "device");
  EXPECT_EQ(config::text_of(node_kind("/dev/" + std::string(200, 'a'))->rule, "name").size(), 60U);
}

TEST(Kinds, ExactTextEscapesVariablesAndStars) {
  EXPECT_EQ(exact_text("$(name)").text, "$$(name)");
  EXPECT_EQ(exact_text("$$(").text, "$$$(");
  EXPECT_EQ(exact_text("*$(a)$(b)").text, R"(\*$$(a)$$(b))");
}

TEST(Kinds, GlobOfNodeEscapesWildcards) {
  const auto kind = node_kind("/dev/a*[b]");
  EXPECT_EQ(config::text_of(*config::value_of(kind->rule, "match"), "glob"), R"(/dev/a\*\[b])");
}

}  // namespace
}  // namespace patchbay::suggest
