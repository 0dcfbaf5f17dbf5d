#include "rules/plan_changes.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules/compiled.h"

namespace patchbay::rules {
namespace {

using Change = ResourceChange;

PlanPtr read_plan(const std::string& resources) {
  auto compiled = compile_resources(resources);
  EXPECT_EQ(compiled.printed, "") << resources;
  return compiled.plan;
}

/// The resource a.io/x with these keys.
std::string with(const std::string& keys) {
  return "  - name: a.io/x\n    match: {subsystem: tty, name: \"ttyS*\"}\n" + keys;
}

/// "changed: envs mounts"
std::string change_of(const std::string& before, const std::string& now) {
  const auto changes = changes_between(*read_plan(before), *read_plan(now));
  EXPECT_EQ(changes.size(), 1U);
  std::string text(word_of(changes.front().kind));
  for (const std::string_view key : changes.front().keys) text += " " + std::string(key);
  return text;
}

TEST(PlanChanges, OfEachKey) {
  const std::vector<std::pair<std::string, std::string>> table{
      {"", "kept"},
      {"    description: lines\n", "changed description"},
      {"    when: {node: \"*\"}\n", "changed when"},
      {"    claim: shared\n", "changed claim"},
      {"    settle: 1s\n", "changed settle"},
      {"    linger: 1s\n", "changed linger"},
      {"    prefer: packed\n", "changed prefer"},
      {"    topology: \"off\"\n", "changed topology"},
      {"    deviceInfo: pci\n", "changed deviceInfo"},
      {"    by: $(pci.address)\n", "changed by"},
      {"    by: $(pci.address)\n    count: 2\n", "changed by count"},
      {"    by: $(pci.address)\n    members: {m: {match: {subsystem: net}}}\n",
       "changed by members devices"},
      {"    id: $(name)\n", "changed id"},
      {"    share: {replicas: 2}\n", "changed prefer share"},
      {"    devices: [/dev/null]\n", "changed devices"},
      {"    mounts: [{hostPath: /opt}]\n", "changed mounts"},
      {"    envs: {A: b}\n", "changed envs"},
      {"    annotations: {a.io/b: c}\n", "changed annotations"},
      {"    cdi: write\n", "changed cdi"},
      {"    health: [{open: $(devnode)}]\n", "changed health"},
      {"    flap: {changes: 3, within: 1m, hold: 1m}\n", "changed flap"},
      {"    preStart: [{exec: [/bin/true]}]\n", "registered anew preStart"},
  };
  for (const auto& [keys, change] : table) {
    EXPECT_EQ(change_of(with(""), with(keys)), change) << keys;
  }
}

TEST(PlanChanges, OfMatchAndGroups) {
  const std::string one = "  - name: a.io/x\n    groups:\n      - match: {subsystem: tty}\n";
  const std::string other = "  - name: a.io/x\n    match: {subsystem: net}\n";
  EXPECT_EQ(change_of(one, other), "changed match");
  EXPECT_EQ(change_of(one, one + "      - match: {subsystem: net}\n"), "changed groups");
  // Where something stands, and in which order the keys are, means nothing.
  EXPECT_EQ(change_of(one, "  - groups: [{match: {subsystem: tty}}]\n    name: a.io/x\n"), "kept");
  // What never has a NUMA node is not chosen.
  const std::string names = "  - name: a.io/x\n    match: {static: [a, b]}\n";
  EXPECT_EQ(change_of(names, names + "    prefer: spread\n"), "registered anew prefer");
}

TEST(PlanChanges, OfWholeResources) {
  const auto resource = [](const std::string& name) {
    return "  - {name: a.io/" + name + ", match: {static: [" + name + "]}}\n";
  };
  const auto before = read_plan(resource("a") + resource("b") + resource("c"));
  const auto now = read_plan(resource("c") + resource("d") + resource("a"));
  EXPECT_THAT(changes_between(*before, *now),
              testing::ElementsAre(
                  Change{"a.io/c", Change::Kind::kept}, Change{"a.io/d", Change::Kind::added},
                  Change{"a.io/a", Change::Kind::kept}, Change{"a.io/b", Change::Kind::removed}));
  EXPECT_FALSE(mean_the_same(*before, *now));
  EXPECT_TRUE(mean_the_same(*before, *read_plan(resource("a") + resource("b") + resource("c"))));
  EXPECT_FALSE(mean_the_same(*before, *read_plan(resource("b") + resource("a") + resource("c"))));
}

}  // namespace
}  // namespace patchbay::rules
