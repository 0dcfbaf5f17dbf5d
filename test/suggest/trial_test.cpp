#include "suggest/trial.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "config/yaml_writer.h"
#include "rules/plan/plan.h"
#include "suggest/kinds.h"

namespace patchbay::suggest {
namespace {

Suggestion suggestion_of(const std::string& path) {
  const KindPtr kind = node_kind(path);
  auto device = std::make_shared<DeviceFacts>();
  device->devnode = path;
  auto candidate = std::make_shared<Candidate>();
  candidate->kind = kind;
  candidate->matched = {std::move(device)};
  Suggestion suggestion{};
  suggestion.proposal.candidate = std::move(candidate);
  suggestion.proposal.resource = kind->rule;
  value_in(suggestion.proposal.resource, "name") =
      config::yaml_text("example.com/" + config::text_of(kind->rule, "name"));
  return suggestion;
}

TEST(Trial, DropsOnlyTheRuleThatDoesNotCompile) {
  std::vector<Suggestion> suggestions{suggestion_of("/dev/kvm"), suggestion_of("/dev/fuse"),
                                      suggestion_of("/dev/tun")};
  value_in(suggestions[1].proposal.resource, "size") = config::yaml_text("none");
  const Trial trial = compile_trial(suggestions, "node");
  ASSERT_NE(trial.plan, nullptr);
  ASSERT_EQ(trial.plan->resources.size(), 2U);
  EXPECT_EQ(trial.plan->resources[0]->name, "example.com/kvm");
  EXPECT_EQ(trial.plan->resources[1]->name, "example.com/tun");
  ASSERT_EQ(suggestions.size(), 2U);
  ASSERT_EQ(trial.failed.size(), 1U);
  EXPECT_EQ(trial.failed[0].device,
            "/dev/fuse: a device node that belongs to no device of the kernel");
  EXPECT_TRUE(trial.failed[0].reason.starts_with("no rule can name it: "))
      << trial.failed[0].reason;
}

TEST(Trial, HasNoPlanIfNoRuleCompiles) {
  std::vector<Suggestion> suggestions{suggestion_of("/dev/kvm")};
  value_in(suggestions[0].proposal.resource, "name") = config::yaml_text("kvm");
  const Trial trial = compile_trial(suggestions, "node");
  EXPECT_EQ(trial.plan, nullptr);
  EXPECT_TRUE(suggestions.empty());
  EXPECT_EQ(trial.failed.size(), 1U);
}

}  // namespace
}  // namespace patchbay::suggest
