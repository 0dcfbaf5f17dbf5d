#include "rules/plan/node_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules/compiled.h"
#include "rules/plan/plan.h"

namespace patchbay::rules {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kMixed = R"(  - name: example.com/everywhere
    match: {subsystem: net}
  - name: example.com/amd
    when: {glob: /dev/kfd}
    match: {subsystem: drm}
  - name: example.com/mixed
    when: {node: "bench-*"}
    groups:
      - match: {subsystem: tty, name: "a*"}
      - when: {file: {/sys/class/dmi/id/product_name: "R750"}}
        match: {subsystem: tty, name: "b*"}
      - when: {node: bench-1, glob: [/dev/kvm, /dev/kfd]}
        match: {subsystem: tty, name: "c*"}
)";

/// Each offered resource as "resource: matches".
std::vector<std::string> offered(const Plan& plan) {
  std::vector<std::string> out;
  for (const ResourcePlanPtr& resource : plan.resources) {
    std::string text = resource->name + ":";
    for (const GroupPlan& group : resource->groups) text += " {" + group.match.to_text() + "}";
    out.push_back(std::move(text));
  }
  return out;
}

/// Each excluded resource or group as "line: resource/group: why".
std::vector<std::string> excluded(const Plan& plan) {
  std::vector<std::string> out;
  for (const Excluded& left : plan.excluded) {
    out.push_back(std::to_string(left.at.line) + ": " + left.resource +
                  (left.group ? "/" + std::to_string(*left.group) : "") + ": " +
                  summary(left.reasons));
  }
  return out;
}

PlanPtr mixed() {
  const Compiled compiled = compile_resources(kMixed);
  EXPECT_EQ(compiled.printed, "");
  return compiled.plan;
}

TEST(NodeFilter, QueryCollectsInputsOfAllConditions) {
  const NodeQuery query = node_query(*mixed());
  EXPECT_THAT(query.files, ElementsAre("/sys/class/dmi/id/product_name"));
  EXPECT_THAT(query.globs, ElementsAre("/dev/kfd", "/dev/kvm"));
}

TEST(NodeFilter, ExcludesResourcesAndGroups) {
  const PlanPtr plan = filter_for_node(mixed(), {.files = {}, .globs = {"/dev/kvm"}});
  EXPECT_THAT(offered(*plan), ElementsAre(R"(example.com/everywhere: {subsystem: "net"})",
                                          R"(example.com/mixed: {subsystem: "tty", name: "a*"} )"
                                          R"({subsystem: "tty", name: "c*"})"));
  EXPECT_THAT(excluded(*plan),
              ElementsAre("6: example.com/amd: /dev/kfd finds nothing",
                          "13: example.com/mixed/1: /sys/class/dmi/id/product_name is absent"));
  EXPECT_EQ(plan->resources.at(0)->node, "bench-1");
}

TEST(NodeFilter, IndexCoversRemainingRules) {
  const PlanPtr plan = filter_for_node(mixed(), {.files = {}, .globs = {"/dev/kvm"}});
  ASSERT_EQ(plan->index.all().size(), 3U);
  EXPECT_EQ(plan->index.all().back(), (Rule{1, 1, 0}));
  EXPECT_THAT(filter_for_node(plan, {})->index.all(), testing::SizeIs(2));
}

TEST(NodeFilter, ExcludesResourceWithoutRemainingGroups) {
  const Compiled compiled = compile_resources(
      "  - name: example.com/a\n"
      "    groups:\n"
      "      - {when: {node: x}, match: {subsystem: net}}\n"
      "      - {when: {node: y}, match: {subsystem: tty}}\n");
  const PlanPtr plan = filter_for_node(compiled.plan, {});
  EXPECT_THAT(offered(*plan), IsEmpty());
  EXPECT_THAT(excluded(*plan), ElementsAre(R"(6: example.com/a/0: node is "bench-1")",
                                           R"(7: example.com/a/1: node is "bench-1")"));
}

TEST(NodeFilter, NumbersGroupsAsConfigured) {
  const PlanPtr plan = filter_for_node(mixed(), {.files = {}, .globs = {"/dev/kvm"}});
  EXPECT_EQ(configured_group_number(*plan, 0, 0), 0U);
  EXPECT_EQ(configured_group_number(*plan, 1, 0), 1U);
  EXPECT_EQ(configured_group_number(*plan, 1, 1), 3U);
  EXPECT_EQ(configured_group_number(*plan, plan->excluded.at(0)), 0U);
  EXPECT_EQ(configured_group_number(*plan, plan->excluded.at(1)), 2U);
}

TEST(NodeFilter, ConditionOnUnknownPatternExcludesResource) {
  const Compiled compiled = compile_resources(
      "  - {name: example.com/a, when: {glob: \"/*/kfd\"}, match: {subsystem: net}}\n"
      "  - {name: example.com/b, when: {except: {glob: \"/*/kfd\"}}, match: {subsystem: tty}}\n"
      "  - {name: example.com/c, when: {glob: [/dev/x, \"/*/kfd\"]}, match: {subsystem: drm}}\n");
  const PlanPtr plan =
      filter_for_node(compiled.plan, {.globs = {"/dev/x"}, .unknown = {{"/*/kfd", "too many"}}});
  EXPECT_THAT(offered(*plan), IsEmpty());
  EXPECT_THAT(excluded(*plan), ElementsAre("4: example.com/a: /*/kfd: too many",
                                           "5: example.com/b: /*/kfd: too many",
                                           "6: example.com/c: /*/kfd: too many"));
}

TEST(NodeFilter, ExclusionByUnresponsivePathIsMarked) {
  const Compiled compiled = compile_resources(
      "  - {name: example.com/a, when: {except: {file: {/nfs/a: x}}}, match: {subsystem: net}}\n"
      "  - {name: example.com/b, when: {glob: /dev/none}, match: {subsystem: tty}}\n");
  const PlanPtr plan = filter_for_node(
      compiled.plan, {.unknown = {{"/nfs/a", "unresponsive"}}, .unresponsive = {"/nfs/a"}});
  EXPECT_THAT(excluded(*plan), ElementsAre("4: example.com/a: /nfs/a: unresponsive",
                                           "5: example.com/b: /dev/none finds nothing"));
  EXPECT_TRUE(plan->excluded[0].unresponsive);
  EXPECT_FALSE(plan->excluded[1].unresponsive);
}

TEST(NodeFilter, ExcludesByEnvironmentVariable) {
  const Compiled compiled = compile_resources(
      "  - {name: example.com/a, when: {env: {POOL: \"gpu*\"}}, match: {subsystem: net}}\n"
      "  - {name: example.com/b, when: {except: {env: {POOL: \"gpu*\"}}}, match: {subsystem: "
      "tty}}\n");
  EXPECT_THAT(node_query(*compiled.plan).variables, ElementsAre("POOL"));
  EXPECT_THAT(offered(*filter_for_node(compiled.plan, {.variables = {{"POOL", "gpu-large"}}})),
              ElementsAre(R"(example.com/a: {subsystem: "net"})"));
  EXPECT_THAT(excluded(*filter_for_node(compiled.plan, {})),
              ElementsAre("4: example.com/a: env.POOL is absent"));
}

TEST(NodeFilter, ReturnsSamePlanIfAllConditionsMatch) {
  const PlanPtr plan = mixed();
  EXPECT_EQ(filter_for_node(plan, {.files = {{"/sys/class/dmi/id/product_name", "R750"}},
                                   .globs = {"/dev/kfd"}}),
            plan);
}

}  // namespace
}  // namespace patchbay::rules
