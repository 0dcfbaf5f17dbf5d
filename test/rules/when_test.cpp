// Tests `when`, the condition on the node.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules/conditions.h"
#include "rules/match/matcher.h"
#include "rules/plan/node_filter.h"
#include "rules/plan/plan.h"

namespace patchbay::rules {
namespace {

using config::ConditionSpec;
using config::MatchSpec;
using testing::ElementsAre;
using testing::HasSubstr;

const auto kSource = std::make_shared<const config::Source>(config::Source{"lab.yaml", ""});

config::Position line(int number) { return {kSource, number, 1}; }

MatchSpec one(Fact fact, std::string name, ConditionSpec condition, int at) {
  MatchSpec spec;
  spec.at = condition.at = line(at);
  spec.conditions = {{fact, {std::move(name), line(at)}, std::move(condition)}};
  return spec;
}

MatchSpec node(const std::string& glob, int at = 1) { return one(Fact::node, "", text(glob), at); }

MatchSpec file(std::string path, ConditionSpec condition, int at = 1) {
  return one(Fact::file, std::move(path), std::move(condition), at);
}

MatchSpec variable(std::string name, ConditionSpec condition, int at = 1) {
  return one(Fact::env, std::move(name), std::move(condition), at);
}

MatchSpec both(MatchSpec a, const MatchSpec& b) {
  a.conditions.insert(a.conditions.end(), b.conditions.begin(), b.conditions.end());
  return a;
}

MatchSpec glob(const std::vector<std::string>& patterns, int at = 1) {
  MatchSpec spec;
  spec.at = line(at);
  ConditionSpec found = mapping();
  found.exists = {true, line(at)};
  for (const std::string& pattern : patterns) {
    spec = both(std::move(spec), one(Fact::glob, pattern, found, at));
  }
  return spec;
}

Matcher compiled(const MatchSpec& spec) {
  config::Diagnostics diagnostics;
  auto when = Matcher::compile_when(spec, diagnostics);
  EXPECT_TRUE(when && diagnostics.ok()) << config::render(diagnostics);
  return *when;
}

/// A plan with one resource that has this `when`.
PlanPtr plan_of(const MatchSpec& spec, const std::string& node) {
  auto resource = std::make_shared<ResourcePlan>();
  resource->node = node;
  resource->when = compiled(spec);
  auto plan = std::make_shared<Plan>();
  plan->resources.push_back(std::move(resource));
  return plan;
}

/// The diagnostics of a `when` that does not compile.
std::string mistakes(const MatchSpec& spec) {
  config::Diagnostics diagnostics;
  EXPECT_FALSE(Matcher::compile_when(spec, diagnostics));
  return config::render(diagnostics);
}

/// The mismatch as "line: condition: actual", with nested mismatches in brackets.
std::string shown(const Mismatch& mismatch) {
  std::string out =
      std::to_string(mismatch.at.line) + ": " + mismatch.condition + ": " + mismatch.actual;
  for (const Mismatch& nested : mismatch.nested) out += " [" + shown(nested) + "]";
  return out;
}

std::vector<Mismatch> mismatches(const MatchSpec& spec, const NodeFacts& facts,
                                 const std::string& name = "a1") {
  const PlanPtr plan = filter_for_node(plan_of(spec, name), facts);
  return plan->excluded.empty() ? std::vector<Mismatch>{} : plan->excluded.front().reasons;
}

std::vector<std::string> failed(const MatchSpec& spec, const NodeFacts& facts,
                                const std::string& name = "a1") {
  std::vector<std::string> out;
  for (const Mismatch& mismatch : mismatches(spec, facts, name)) out.push_back(shown(mismatch));
  return out;
}

TEST(When, ComparesNodeName) {
  EXPECT_THAT(failed(node("bench-*"), {}, "bench-7"), ElementsAre());
  EXPECT_THAT(failed(node("bench-*", 4), {}, "a1"),
              ElementsAre(R"(4: node: "bench-*": node is "a1")"));
  EXPECT_THAT(failed(node("bench-*"), {}, ""),
              ElementsAre(R"(1: node: "bench-*": node is absent)"));
}

TEST(When, ComparesFiles) {
  const std::string path = "/sys/class/dmi/id/product_name";
  const MatchSpec spec = file(path, text("PowerEdge*"), 3);
  EXPECT_THAT(failed(spec, {.files = {{path, "PowerEdge R750"}}}), ElementsAre());
  EXPECT_THAT(
      failed(spec, {.files = {{path, "X\x1b[2J"}}}),
      ElementsAre("3: file: {" + path + ": \"PowerEdge*\"}: " + path + R"( is "X\x1b[2J")"));
  EXPECT_THAT(failed(spec, {}),
              ElementsAre("3: file: {" + path + ": \"PowerEdge*\"}: " + path + " is absent"));
  EXPECT_THAT(failed(file(path, exists(false)), {}), ElementsAre());
  // An empty file exists.
  EXPECT_THAT(failed(file(path, exists(true)), {.files = {{path, ""}}}), ElementsAre());
  EXPECT_THAT(failed(file(path, exists(false)), {.files = {{path, ""}}}),
              ElementsAre("1: file: {" + path + ": {exists: false}}: " + path + " is \"\""));
}

TEST(When, ComparesEnvironmentVariables) {
  const auto set_to = [](const std::string& value) {
    return NodeFacts{.variables = {{"POOL", value}}};
  };
  const MatchSpec spec = variable("POOL", text("gpu*"), 3);
  EXPECT_THAT(failed(spec, set_to("gpu-large")), ElementsAre());
  EXPECT_THAT(
      failed(spec, set_to("cpu")),
      ElementsAre(R"(3: env: {POOL: "gpu*"}: env.POOL is set to a value that is not shown)"));
  // An empty variable is absent.
  for (const NodeFacts& none : {set_to(""), NodeFacts{}}) {
    EXPECT_THAT(failed(spec, none), ElementsAre(R"(3: env: {POOL: "gpu*"}: env.POOL is absent)"));
    EXPECT_THAT(failed(variable("POOL", exists(false)), none), ElementsAre());
  }
  EXPECT_THAT(
      failed(variable("POOL", exists(false)), set_to("x")),
      ElementsAre("1: env: {POOL: {exists: false}}: env.POOL is set to a value that is not shown"));
}

TEST(When, EachPatternMustFindPath) {
  const MatchSpec spec = glob({"/sys/class/drm/card*", "/dev/kfd"}, 2);
  EXPECT_THAT(failed(spec, {.globs = {"/dev/kfd", "/sys/class/drm/card*"}}), ElementsAre());
  EXPECT_THAT(failed(spec, {.globs = {"/dev/kfd"}}),
              ElementsAre("2: glob: \"/sys/class/drm/card*\": /sys/class/drm/card* finds nothing"));
}

TEST(When, ReportsEachFailedCondition) {
  const MatchSpec spec =
      both(both(node("b*", 1), file("/etc/machine", text("x"), 2)), glob({"/dev/kvm"}, 3));
  EXPECT_THAT(failed(spec, {.files = {{"/etc/machine", "y"}}}),
              ElementsAre(R"(1: node: "b*": node is "a1")",
                          R"(3: glob: "/dev/kvm": /dev/kvm finds nothing)",
                          R"(2: file: {/etc/machine: "x"}: /etc/machine is "y")"));
}

TEST(When, OneBlockOfAnyIsEnough) {
  MatchSpec spec;
  spec.any = {node("b*", 5), both(node("c*", 6), glob({"/dev/kvm"}, 7))};
  EXPECT_THAT(failed(spec, {}, "b1"), ElementsAre());
  EXPECT_THAT(failed(spec, {.globs = {"/dev/kvm"}}, "c1"), ElementsAre());
  EXPECT_THAT(
      failed(spec, {}),
      ElementsAre(
          R"(5: any: [{node: "b*"}, {node: "c*", glob: "/dev/kvm"}]: none of its blocks matches)"
          R"( [5: node: "b*": node is "a1"])"
          R"( [6: node: "c*", glob: "/dev/kvm": the block does not match)"
          R"( [6: node: "c*": node is "a1"])"
          R"( [7: glob: "/dev/kvm": /dev/kvm finds nothing]])"));
}

TEST(When, NoBlockOfExceptMayMatch) {
  MatchSpec spec = node("a*");
  spec.except = {node("a9", 3), node("a1", 4)};
  EXPECT_THAT(failed(spec, {}, "a2"), ElementsAre());
  EXPECT_THAT(failed(spec, {}),
              ElementsAre(R"(4: except: [{node: "a1"}]: an except: block matches)"));
}

TEST(When, QueryIsSortedAndUnique) {
  MatchSpec spec = both(file("/b", text("x")), glob({"/dev/z*", "/dev/a*"}));
  spec.any = {file("/a", text("x")), glob({"/dev/z*"})};
  spec.except = {file("/b", text("y")), variable("V", text("x"))};
  NodeQuery query{.files = {"/c"}, .globs = {"/dev/m"}};
  compiled(spec).want(query);
  EXPECT_THAT(query.files, ElementsAre("/a", "/b", "/c"));
  EXPECT_THAT(query.globs, ElementsAre("/dev/a*", "/dev/m", "/dev/z*"));
  EXPECT_THAT(query.variables, ElementsAre("V"));
}

TEST(When, SupportsEqualityAndPrinting) {
  MatchSpec spec = both(both(file("/f", text("x")), node("b*")), glob({"/dev/kvm", "/dev/kfd"}));
  spec.any = {node("a"), node("b")};
  spec.except = {node("c")};
  EXPECT_EQ(compiled(spec).to_text(),
            R"(node: "b*", glob: "/dev/kfd", glob: "/dev/kvm", file: {/f: "x"}, )"
            R"(any: [{node: "a"}, {node: "b"}], except: [{node: "c"}])");
  EXPECT_EQ(compiled(node("b*", 1)), compiled(node("b*", 9)));
  EXPECT_EQ(compiled(glob({"/a", "/b"})), compiled(glob({"/b", "/a"})));
  EXPECT_FALSE(compiled(node("b*")) == compiled(node("b?")));
  EXPECT_FALSE(compiled(glob({"/a"})) == compiled(glob({"/b"})));
  MatchSpec other = spec;
  other.except = {node("d")};
  EXPECT_FALSE(compiled(spec) == compiled(other));
}

TEST(WhenMistakes, NamedGroupOfRegexIsRejected) {
  ConditionSpec condition = regex(R"(a(?P<n>\d+))");
  condition.regex->at = line(1);
  const MatchSpec spec = one(Fact::node, "", std::move(condition), 1);
  EXPECT_EQ(
      mistakes(spec),
      "lab.yaml:1:1: error: the group 'n' has no use in 'when'\n"
      "  hint: $(capture.…) exists only for devices; write (…) or (?:…) instead of (?P<…>…)\n");
}

TEST(WhenMistakes, InvalidPathsAndPatternsAreRejected) {
  EXPECT_THAT(mistakes(file("/etc/$(node)", text("x"), 5)),
              HasSubstr("lab.yaml:5:1: error: the path '/etc/$(node)' contains '$'"));
  EXPECT_THAT(mistakes(file("etc/x", text("x"))),
              HasSubstr("the path 'etc/x' does not begin with '/'"));
  EXPECT_THAT(mistakes(file("/etc/../x", text("x"))),
              HasSubstr("the path '/etc/../x' contains '..'"));
  EXPECT_THAT(mistakes(glob({"/dev/$(node)"})),
              HasSubstr("the pattern '/dev/$(node)' contains '$('"));
  EXPECT_THAT(mistakes(glob({"dev/*"})), HasSubstr("the pattern 'dev/*' does not begin with '/'"));
  EXPECT_THAT(mistakes(glob({"/dev/**"})), HasSubstr("'**' does not match subdirectories"));
}

TEST(WhenMistakes, AreAllReported) {
  MatchSpec spec = glob({"dev/*"}, 2);
  spec.any = {file("x", text("x"), 3)};
  spec.except = {node("[", 4)};
  const std::string printed = mistakes(spec);
  for (const std::string at : {"lab.yaml:2:1", "lab.yaml:3:1", "lab.yaml:4:1"}) {
    EXPECT_THAT(printed, HasSubstr(at));
  }
}

TEST(WhenMistakes, BlocksMayNestFourDeep) {
  MatchSpec spec = node("a");
  for (int depth = 0; depth < 4; ++depth) {
    MatchSpec outer;
    outer.any = {spec};
    spec = outer;
  }
  compiled(spec);
  MatchSpec outer;
  outer.except = {spec};
  EXPECT_THAT(mistakes(outer), HasSubstr("blocks are nested too deeply"));
}

TEST(Mismatch, SummaryIsOneLine) {
  MatchSpec spec = node("b*");
  spec.any = {node("c"), glob({"/dev/kvm"})};
  EXPECT_EQ(summary(mismatches(spec, {})),
            R"(node is "a1", none of its blocks matches (node is "a1", /dev/kvm finds nothing))");
}

TEST(Mismatch, ShowsSeveralValues) {
  EXPECT_EQ(actual_values("tag", std::vector<std::string_view>{"a", "b"}), R"(tag is "a" and "b")");
  EXPECT_EQ(actual_values("/run/a", std::vector<std::string_view>{""}), R"(/run/a is "")");
  const std::vector<std::string_view> many(20, "t");
  EXPECT_EQ(actual_values("tag", many),
            R"(tag is "t" and "t" and "t" and "t" and "t" and "t" and "t" and "t" and …)");
}

}  // namespace
}  // namespace patchbay::rules
