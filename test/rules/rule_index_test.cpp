#include "rules/plan/rule_index.h"

#include <gtest/gtest.h>

#include "fake/facts.h"
#include "rules/compiled.h"
#include "rules/plan/plan.h"

namespace patchbay::rules {
namespace {

/// A plan with two resources. Each has one group with these members.
PlanPtr plan_of(const std::string& first, const std::string& second) {
  const auto resource = [](const std::string& name, const std::string& members) {
    return "  - name: a.io/" + name + "\n    match: {subsystem: " + name +
           "}\n    by: $(usb.socket)\n    members:\n" + members;
  };
  auto compiled = compile_resources(resource("x", first) + resource("y", second));
  EXPECT_EQ(compiled.printed, "");
  return compiled.plan;
}

/// The representative of the only member of the second resource.
Rule representative(const std::string& first, const std::string& second) {
  return plan_of(first, second)->index.representative({1, 0, 1});
}

const Rule kFirst{0, 0, 1};
const Rule kItself{1, 0, 1};
const std::string kSound = "      m: {match: {subsystem: sound, name: \"pcm*\"}}\n";

TEST(RuleIndexTest, MemberEqualityIgnoresNameAndSize) {
  EXPECT_EQ(representative(kSound, kSound), kFirst);
  EXPECT_EQ(
      representative(kSound, "      n: {match: {name: \"pcm*\", subsystem: sound}, size: 0+}\n"),
      kFirst);
}

TEST(RuleIndexTest, MembersDifferByMatchAndBy) {
  EXPECT_EQ(representative(kSound, "      m: {match: {subsystem: sound}}\n"), kItself);
  EXPECT_EQ(representative(kSound, "      m: {match: {subsystem: sound, name: 'pcm\\*'}}\n"),
            kItself);
  EXPECT_EQ(
      representative(kSound, "      m: {match: {subsystem: sound, name: \"pcm*\"}, by: $(name)}\n"),
      kItself);
}

TEST(RuleIndexTest, MembersWhoseByUsesResourceDiffer) {
  const std::string member =
      "      m: {match: {subsystem: sound}, by: \"$(usb.socket:-$(resource))\"}\n";
  EXPECT_EQ(representative(member, member), kItself);
}

TEST(RuleIndexTest, GroupMatchesAreNeverMerged) {
  const auto plan = compile_resources(
                        "  - {name: a.io/x, match: {subsystem: tty}}\n"
                        "  - {name: a.io/y, match: {subsystem: tty}}\n")
                        .plan;
  DeviceFacts tty;
  tty.subsystem = "tty";
  EXPECT_EQ(plan->index.candidates(tty), (std::vector<Rule>{{0, 0, 0}, {1, 0, 0}}));
}

TEST(RuleIndexTest, EvaluatesOnlyFirstOfEqualMembers) {
  const auto plan = plan_of(kSound, kSound);
  DeviceFacts sound;
  sound.subsystem = "sound";
  sound.name = "pcm0";
  EXPECT_EQ(plan->index.candidates(sound), std::vector<Rule>{kFirst});
  EXPECT_EQ(plan->index.all().size(), 4U);
}

TEST(RuleIndexTest, MergesFactsOfEqualMembers) {
  const auto plan = plan_of(kSound + "    envs: {A: $(m.attribute.first)}\n",
                            kSound + "    envs: {B: $(m.attribute.second)}\n");
  DeviceFacts sound;
  sound.subsystem = "sound";
  sound.name = "pcm0";
  const WantedFacts wanted = host_query(plan)->wanted(sound);
  EXPECT_TRUE(wanted.relevant);
  EXPECT_EQ(fake::names(wanted, Fact::attribute), (std::vector<std::string>{"first", "second"}));
  EXPECT_EQ(fake::names(wanted, Fact::usb), std::vector<std::string>{"socket"});
}

}  // namespace
}  // namespace patchbay::rules
