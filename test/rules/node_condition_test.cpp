#include "rules/node_condition.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace patchbay::rules {
namespace {

using config::ConditionSpec;
using config::NodeConditionSpec;
using testing::ElementsAre;
using testing::HasSubstr;

const auto kSource = std::make_shared<const config::Source>(config::Source{"lab.yaml", ""});

config::Position line(int number) { return {kSource, number, 1}; }

ConditionSpec text(std::string glob, int at = 1) {
  ConditionSpec spec;
  spec.at = line(at);
  spec.text = std::move(glob);
  return spec;
}

ConditionSpec regex(std::string value) {
  ConditionSpec spec;
  spec.at = line(1);
  spec.form = ConditionSpec::Form::mapping;
  spec.regex = {std::move(value), line(1)};
  return spec;
}

ConditionSpec absent() {
  ConditionSpec spec;
  spec.form = ConditionSpec::Form::mapping;
  spec.exists = {false, {}};
  return spec;
}

NodeConditionSpec node(std::string glob, int at = 1) {
  NodeConditionSpec spec;
  spec.at = line(at);
  spec.node = text(std::move(glob), at);
  return spec;
}

NodeConditionSpec file(std::string path, ConditionSpec condition, int at = 1) {
  NodeConditionSpec spec;
  spec.at = line(at);
  spec.file = {{{std::move(path), line(at)}, std::move(condition)}};
  return spec;
}

NodeConditionSpec glob(std::vector<std::string> patterns, int at = 1) {
  NodeConditionSpec spec;
  spec.at = line(at);
  for (std::string& pattern : patterns) spec.glob.push_back({std::move(pattern), line(at)});
  return spec;
}

NodeConditionSpec variable(std::string name, ConditionSpec condition, int at = 1) {
  NodeConditionSpec spec;
  spec.at = line(at);
  spec.env = {{{std::move(name), line(at)}, std::move(condition)}};
  return spec;
}

NodeCondition compiled(const NodeConditionSpec& spec) {
  config::Diagnostics diagnostics;
  auto condition = NodeCondition::compile(spec, diagnostics);
  EXPECT_TRUE(condition && diagnostics.ok()) << config::render(diagnostics);
  return *condition;
}

/// What is printed of a condition that cannot be compiled.
std::string mistakes(const NodeConditionSpec& spec) {
  config::Diagnostics diagnostics;
  EXPECT_FALSE(NodeCondition::compile(spec, diagnostics));
  return config::render(diagnostics);
}

/// "line: condition: actual", with what is inside in brackets.
std::string shown(const Mismatch& mismatch) {
  std::string out =
      std::to_string(mismatch.at.line) + ": " + mismatch.condition + ": " + mismatch.actual;
  for (const Mismatch& part : mismatch.parts) out += " [" + shown(part) + "]";
  return out;
}

std::vector<std::string> failed_in(const NodeConditionSpec& spec, const NodeScope& scope) {
  std::vector<std::string> out;
  for (const Mismatch& mismatch : compiled(spec).mismatches(scope)) {
    out.push_back(shown(mismatch));
  }
  EXPECT_EQ(compiled(spec).holds(scope), out.empty());
  return out;
}

std::vector<std::string> failed(const NodeConditionSpec& spec, const NodeFacts& facts,
                                const std::string& name = "a1") {
  return failed_in(spec, {facts, name, no_environment()});
}

TEST(NodeCondition, ComparesTheNodesName) {
  EXPECT_THAT(failed(node("bench-*"), {}, "bench-7"), ElementsAre());
  EXPECT_THAT(failed(node("bench-*", 4), {}, "a1"),
              ElementsAre(R"(4: node: "bench-*": node is "a1")"));
  EXPECT_THAT(failed(node("bench-*"), {}, ""),
              ElementsAre(R"(1: node: "bench-*": node is absent)"));
}

TEST(NodeCondition, ComparesFiles) {
  const std::string path = "/sys/class/dmi/id/product_name";
  const NodeConditionSpec spec = file(path, text("PowerEdge*"), 3);
  EXPECT_THAT(failed(spec, {.files = {{path, "PowerEdge R750"}}, .globs = {}}), ElementsAre());
  EXPECT_THAT(
      failed(spec, {.files = {{path, "X\x1b[2J"}}, .globs = {}}),
      ElementsAre("3: file: {" + path + ": \"PowerEdge*\"}: " + path + R"( is "X\x1b[2J")"));
  EXPECT_THAT(failed(spec, {}),
              ElementsAre("3: file: {" + path + ": \"PowerEdge*\"}: " + path + " is absent"));
  EXPECT_THAT(failed(file(path, absent()), {}), ElementsAre());
}

TEST(NodeCondition, ComparesVariablesOfTheEnvironment) {
  const auto set_to = [](const std::string& value) -> Environment {
    return [value](const std::string& name) -> std::optional<std::string> {
      return name == "POOL" ? std::optional(value) : std::nullopt;
    };
  };
  const NodeConditionSpec spec = variable("POOL", text("gpu*"), 3);
  EXPECT_THAT(failed_in(spec, {{}, "a1", set_to("gpu-large")}), ElementsAre());
  EXPECT_THAT(failed_in(spec, {{}, "a1", set_to("cpu")}),
              ElementsAre(R"(3: env: {POOL: "gpu*"}: env.POOL is "cpu")"));
  // One that is empty is none.
  for (const Environment& none : {set_to(""), no_environment()}) {
    EXPECT_THAT(failed_in(spec, {{}, "a1", none}),
                ElementsAre(R"(3: env: {POOL: "gpu*"}: env.POOL is absent)"));
    EXPECT_THAT(failed_in(variable("POOL", absent()), {{}, "a1", none}), ElementsAre());
  }
  EXPECT_THAT(failed_in(variable("POOL", absent()), {{}, "a1", set_to("x")}),
              ElementsAre("1: env: {POOL: {exists: false}}: env.POOL is \"x\""));
}

TEST(NodeCondition, EachOfThePatternsMustFindSomething) {
  const NodeConditionSpec spec = glob({"/sys/class/drm/card*", "/dev/kfd"}, 2);
  EXPECT_THAT(failed(spec, {.files = {}, .globs = {"/dev/kfd", "/sys/class/drm/card*"}}),
              ElementsAre());
  EXPECT_THAT(failed(spec, {.files = {}, .globs = {"/dev/kfd"}}),
              ElementsAre("2: glob: \"/sys/class/drm/card*\": /sys/class/drm/card* finds nothing"));
}

TEST(NodeCondition, TellsEveryConditionThatFails) {
  NodeConditionSpec spec = node("b*", 1);
  spec.file = file("/etc/machine", text("x"), 2).file;
  spec.glob = glob({"/dev/kvm"}, 3).glob;
  EXPECT_THAT(failed(spec, {.files = {{"/etc/machine", "y"}}, .globs = {}}),
              ElementsAre(R"(1: node: "b*": node is "a1")",
                          R"(3: glob: "/dev/kvm": /dev/kvm finds nothing)",
                          R"(2: file: {/etc/machine: "x"}: /etc/machine is "y")"));
}

TEST(NodeCondition, OneBlockOfAnyIsEnough) {
  NodeConditionSpec spec;
  NodeConditionSpec two = node("c*", 6);
  two.glob = glob({"/dev/kvm"}, 7).glob;
  spec.any = {node("b*", 5), two};
  EXPECT_THAT(failed(spec, {}, "b1"), ElementsAre());
  EXPECT_THAT(failed(spec, {.files = {}, .globs = {"/dev/kvm"}}, "c1"), ElementsAre());
  EXPECT_THAT(
      failed(spec, {}),
      ElementsAre(
          R"(5: any: [{node: "b*"}, {node: "c*", glob: "/dev/kvm"}]: none of its blocks holds)"
          R"( [5: node: "b*": node is "a1"])"
          R"( [6: node: "c*", glob: "/dev/kvm": the block does not hold)"
          R"( [6: node: "c*": node is "a1"])"
          R"( [7: glob: "/dev/kvm": /dev/kvm finds nothing]])"));
}

TEST(NodeCondition, NoBlockOfExceptMayHold) {
  NodeConditionSpec spec = node("a*");
  spec.except = {node("a9", 3), node("a1", 4)};
  EXPECT_THAT(failed(spec, {}, "a2"), ElementsAre());
  EXPECT_THAT(failed(spec, {}), ElementsAre(R"(4: except: [{node: "a1"}]: what it excepts holds)"));
}

TEST(NodeCondition, AsksForWhatItLooksAtSortedAndOnce) {
  NodeConditionSpec spec = file("/b", text("x"));
  spec.glob = glob({"/dev/z*", "/dev/a*"}).glob;
  spec.any = {file("/a", text("x")), glob({"/dev/z*"})};
  spec.except = {file("/b", text("y"))};
  NodeQuery query{.files = {"/c"}, .globs = {"/dev/m"}};
  compiled(spec).query(query);
  EXPECT_THAT(query.files, ElementsAre("/a", "/b", "/c"));
  EXPECT_THAT(query.globs, ElementsAre("/dev/a*", "/dev/m", "/dev/z*"));
}

TEST(NodeCondition, CanBePrintedAndCompared) {
  NodeConditionSpec spec = node("b*");
  spec.glob = glob({"/dev/kvm", "/dev/kfd"}).glob;
  spec.file = file("/f", text("x")).file;
  spec.any = {node("a"), node("b")};
  spec.except = {node("c")};
  EXPECT_EQ(compiled(spec).to_text(),
            R"(node: "b*", glob: "/dev/kfd", glob: "/dev/kvm", file: {/f: "x"}, )"
            R"(any: [{node: "a"}, {node: "b"}], except: [{node: "c"}])");
  EXPECT_EQ(compiled(node("b*", 1)), compiled(node("b*", 9)));
  EXPECT_EQ(compiled(glob({"/a", "/b"})), compiled(glob({"/b", "/a"})));
  EXPECT_FALSE(compiled(node("b*")) == compiled(node("b?")));
  EXPECT_FALSE(compiled(glob({"/a"})) == compiled(glob({"/b"})));
  NodeConditionSpec other = spec;
  other.except = {node("d")};
  EXPECT_FALSE(compiled(spec) == compiled(other));
}

TEST(NodeConditionMistakes, NamedGroupsCaptureNothing) {
  NodeConditionSpec spec = node("x");
  spec.node = regex("a(?P<n>\\d+)");
  EXPECT_EQ(mistakes(spec),
            "lab.yaml:1:1: error: the group 'n' captures nothing in 'when'\n"
            "  hint: $(capture.…) is of devices; write (…) or (?:…) instead of (?P<…>…)\n");
}

TEST(NodeConditionMistakes, PathsArePlain) {
  EXPECT_THAT(mistakes(file("/etc/$(node)", text("x"), 5)),
              HasSubstr("lab.yaml:5:1: error: the path '/etc/$(node)' holds a '$'"));
  EXPECT_THAT(mistakes(file("etc/x", text("x"))),
              HasSubstr("the path 'etc/x' does not begin with '/'"));
  EXPECT_THAT(mistakes(file("/etc/../x", text("x"))), HasSubstr("the path '/etc/../x' holds '..'"));
  EXPECT_THAT(mistakes(glob({"/dev/$(node)"})),
              HasSubstr("the pattern '/dev/$(node)' holds a '$('"));
  EXPECT_THAT(mistakes(glob({"dev/*"})), HasSubstr("the pattern 'dev/*' does not begin with '/'"));
  EXPECT_THAT(mistakes(glob({"/dev/**"})), HasSubstr("'**' does not look into subdirectories"));
}

TEST(NodeConditionMistakes, AreAllReported) {
  NodeConditionSpec spec = glob({"dev/*"}, 2);
  spec.any = {file("x", text("x"), 3)};
  spec.except = {node("[", 4)};
  const std::string printed = mistakes(spec);
  for (const std::string at : {"lab.yaml:2:1", "lab.yaml:3:1", "lab.yaml:4:1"}) {
    EXPECT_THAT(printed, HasSubstr(at));
  }
}

TEST(NodeConditionMistakes, BlocksNestFourDeep) {
  NodeConditionSpec spec = node("a");
  for (int depth = 0; depth < 4; ++depth) {
    NodeConditionSpec outer;
    outer.any = {spec};
    spec = outer;
  }
  compiled(spec);
  NodeConditionSpec outer;
  outer.except = {spec};
  EXPECT_THAT(mistakes(outer), HasSubstr("too many blocks inside one another"));
}

TEST(Mismatch, SummaryIsOneLine) {
  NodeConditionSpec spec = node("b*");
  spec.any = {node("c"), glob({"/dev/kvm"})};
  EXPECT_EQ(summary(compiled(spec).mismatches({{}, "a1", no_environment()})),
            R"(node is "a1", none of its blocks holds (node is "a1", /dev/kvm finds nothing))");
}

TEST(Mismatch, ShowsSeveralValues) {
  EXPECT_EQ(actual_values("tag", std::vector<std::string_view>{"a", "", "b"}),
            R"(tag is "a" and "b")");
  EXPECT_EQ(actual_values("tag", std::vector<std::string_view>{""}), "tag is absent");
  const std::vector<std::string_view> many(20, "t");
  EXPECT_EQ(actual_values("tag", many),
            R"(tag is "t" and "t" and "t" and "t" and "t" and "t" and "t" and "t" and …)");
}

}  // namespace
}  // namespace patchbay::rules
