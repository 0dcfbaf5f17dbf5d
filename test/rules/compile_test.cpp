#include "rules/compile.h"

#include <chrono>

#include <gtest/gtest.h>

#include "fake/facts.h"
#include "rules/compiled.h"
#include "rules/plan/plan.h"

namespace patchbay::rules {
namespace {

using std::chrono::milliseconds;
using Strings = std::vector<std::string>;

TEST(Compile, FillsInDefaults) {
  const Compiled compiled = compile_group("    match: {subsystem: tty}\n    id: $(name)\n");
  ASSERT_NE(compiled.plan, nullptr) << compiled.printed;
  const ResourcePlan& resource = *compiled.plan->resources.at(0);
  EXPECT_EQ(resource.name, "example.com/unit");
  EXPECT_EQ(resource.linger, std::chrono::minutes(5));
  EXPECT_EQ(resource.node, "bench-1");
  ASSERT_EQ(resource.groups.at(0).devices.size(), 1U);
  EXPECT_FALSE(resource.groups.at(0).devices.at(0).host_path);
}

TEST(Compile, AppliesDefaultsOfFile) {
  const Compiled compiled =
      compile_files({{"a.yaml",
                      "apiVersion: patchbay/v1\nkind: Config\n"
                      "defaults: {domain: lab.example.com, linger: 1h}\nresources:\n"
                      "  - {name: a, match: {subsystem: tty}, id: $(name), devices: []}\n"
                      "  - {name: x.io/B, linger: 24h, match: {subsystem: net}, id: $(name)}\n"}});
  ASSERT_NE(compiled.plan, nullptr) << compiled.printed;
  const auto& resources = compiled.plan->resources;
  EXPECT_EQ(resources.at(0)->name, "lab.example.com/a");
  EXPECT_EQ(resources.at(0)->linger, std::chrono::hours(1));
  EXPECT_TRUE(resources.at(0)->groups.at(0).devices.empty());
  EXPECT_EQ(resources.at(1)->name, "x.io/B");
  EXPECT_EQ(resources.at(1)->linger, std::chrono::hours(24));
}

TEST(Compile, DuplicateResourceErrorNamesOtherFile) {
  const std::string file =
      "apiVersion: patchbay/v1\nkind: Config\nresources:\n"
      "  - {name: example.com/a, match: {subsystem: tty}, id: $(name)}\n";
  const Compiled compiled = compile_files({{"a.yaml", file}, {"b.yaml", file}});
  EXPECT_EQ(compiled.plan, nullptr);
  EXPECT_EQ(
      compiled.printed,
      "b.yaml:4:12: error: the resource 'example.com/a' is already at a.yaml:4\n"
      "      - {name: example.com/a, match: {subsystem: tty}, id: $(name)}\n"
      "               ^\n"
      "  hint: define each resource once; for several ways to find its devices write groups:\n");
}

TEST(Compile, IgnoresKeyOrder) {
  const std::string head = "    match: {subsystem: tty}\n    id: $(name)\n";
  const auto one = compile_group(head + "    envs: {A_$(slot): x, B: $(id), A_0: y}\n");
  const auto other = compile_group(head + "    envs: {B: $(id), A_0: y, A_$(slot): x}\n");
  EXPECT_EQ(*one.plan->resources.at(0), *other.plan->resources.at(0));
}

TEST(Compile, PlanEqualityIgnoresPositions) {
  const std::string group = "    match: {subsystem: tty}\n    id: $(name)\n";
  const auto one = compile_group(group);
  const auto moved = compile_group("\n\n" + group);
  EXPECT_EQ(*one.plan->resources.at(0), *moved.plan->resources.at(0));
  const auto other = compile_group(group + "    mounts: [{hostPath: /x, readOnly: false}]\n");
  EXPECT_FALSE(*one.plan->resources.at(0) == *other.plan->resources.at(0));
}

TEST(HostQuery, CollectsSubsystemsAndPatterns) {
  const auto compiled = compile_resources(
      "  - {name: a.io/a, match: {subsystem: [tty, \"infini*\"]}, id: $(name)}\n"
      "  - {name: a.io/b, match: {subsystem: tty}, id: $(name)}\n"
      "  - {name: a.io/c, match: {glob: [/dev/b, \"/dev/a*\"]}, id: $(name)}\n"
      "  - {name: a.io/d, match: {glob: /dev/b}, id: $(name)}\n"
      "  - {name: a.io/e, match: {sysfs: /sys/class/x/*}, id: $(name)}\n");
  ASSERT_NE(compiled.plan, nullptr) << compiled.printed;
  const auto query = host_query(compiled.plan);
  EXPECT_EQ(query->subsystems, (Strings{"infini*", "tty"}));
  EXPECT_EQ(query->glob_patterns, (Strings{"/dev/a*", "/dev/b"}));
  EXPECT_EQ(query->sysfs_patterns, Strings{"/sys/class/x/*"});
}

TEST(HostQuery, EnumeratesAllSubsystemsForNegatedSubsystem) {
  const auto compiled = compile_resources(
      "  - {name: a.io/a, match: {subsystem: tty}, id: $(name)}\n"
      "  - {name: a.io/b, match: {subsystem: {not: tty}}, id: $(name)}\n");
  EXPECT_EQ(host_query(compiled.plan)->subsystems, Strings{"*"});
  const auto globs = compile_resources("  - {name: a.io/a, match: {glob: /x}, id: $(name)}\n");
  EXPECT_TRUE(host_query(globs.plan)->subsystems.empty());
}

TEST(HostQuery, FollowsNetworkLinksIfAttributeMayShowTheirState) {
  const auto follows = [](const std::string& group) {
    const auto compiled = compile_resources("  - {name: a.io/a, id: $(name), " + group + "}\n");
    EXPECT_NE(compiled.plan, nullptr) << compiled.printed;
    return compiled.plan && host_query(compiled.plan)->follows_links;
  };
  EXPECT_TRUE(follows("match: {subsystem: net, attribute: {carrier: '1'}}"));
  EXPECT_TRUE(follows("match: {subsystem: pci}, health: [{attribute: {net/*/carrier: '1'}}]"));
  EXPECT_TRUE(follows("match: {sysfs: /sys/class/net/*, attribute: {carrier: '1'}}"));
  EXPECT_TRUE(follows("match: {subsystem: 'n*', attribute: {carrier: '1'}}"));
  EXPECT_TRUE(
      follows("match: {subsystem: pci}}\n  - {name: a.io/b, id: $(name), match: {subsystem: "
              "pci}, claim: shared, health: [{attribute: {net/*/carrier: '1'}}]"))
      << "the second of two that are equal";
  EXPECT_FALSE(follows("match: {subsystem: net}"));
  EXPECT_FALSE(follows("match: {subsystem: tty, attribute: {line: '1'}}"));
  EXPECT_FALSE(follows("match: {subsystem: net}, health: [{file: {/proc/devices: '*net*'}}]"));
}

TEST(HostQuery, RequestsOnlyFactsOfPossibleMatches) {
  const auto compiled = compile_resources(
      "  - name: a.io/a\n"
      "    match: {subsystem: tty, name: \"ttyUSB*\", attribute: {x/y: a}, property: {P: a}}\n"
      "    id: $(property.SERIAL)\n"
      "    devices: [{hostPath: $(devnode), links: true}]\n"
      "    envs: {A: $(attribute.z), B: $(property.P)}\n"
      "  - {name: a.io/b, match: {subsystem: net, tag: t}, id: $(driver), devices: []}\n");
  ASSERT_NE(compiled.plan, nullptr) << compiled.printed;
  const auto query = host_query(compiled.plan);
  DeviceFacts cheap;
  cheap.subsystem = "tty";
  cheap.name = "ttyUSB3";
  const WantedFacts tty = query->wanted(cheap);
  EXPECT_TRUE(tty.relevant && tty.wants(Fact::link));
  EXPECT_FALSE(tty.wants(Fact::tag) || tty.wants(Fact::driver));
  EXPECT_EQ(fake::names(tty, Fact::attribute), (Strings{"x/y", "z"}));
  EXPECT_EQ(fake::names(tty, Fact::property), (Strings{"P", "SERIAL"}));
  cheap.name = "ttyS0";
  EXPECT_FALSE(query->wanted(cheap).relevant);
  cheap.subsystem = "net";
  const WantedFacts net = query->wanted(cheap);
  EXPECT_TRUE(net.relevant && net.wants(Fact::tag) && net.wants(Fact::driver));
  EXPECT_FALSE(net.wants(Fact::link));
}

TEST(HostQuery, ExaminationQueryRequestsFactsOfAllRules) {
  const auto compiled = compile_resources(
      "  - name: a.io/a\n"
      "    match: {subsystem: tty, name: x, file: {/proc/$(name): a}}\n"
      "    id: $(property.SERIAL)\n"
      "  - {name: a.io/b, match: {subsystem: net, tag: t, ancestor: {driver: d}}}\n");
  ASSERT_NE(compiled.plan, nullptr) << compiled.printed;
  const auto query = examination_query(compiled.plan);
  EXPECT_EQ(query->subsystems, (Strings{"net", "tty"}));
  DeviceFacts facts;
  facts.subsystem = "block";
  facts.name = "sda";
  const WantedFacts wanted = query->wanted(facts);
  EXPECT_TRUE(wanted.relevant && wanted.wants(Fact::tag));
  EXPECT_EQ(fake::names(wanted, Fact::property), Strings{"SERIAL"});
  ASSERT_EQ(wanted.above.size(), 1U);
  EXPECT_TRUE(wanted.above.front().wants(Fact::driver));
  EXPECT_EQ(query->files(facts), Strings{"/proc/sda"});
  EXPECT_TRUE(host_query(compiled.plan)->files(facts).empty());
}

}  // namespace
}  // namespace patchbay::rules
