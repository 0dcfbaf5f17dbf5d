#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/facts.h"
#include "rules/compiled.h"
#include "rules/plan/attribute.h"
#include "rules/plan/node_filter.h"
#include "rules/plan/plan.h"

namespace patchbay::rules {
namespace {

using config::AttributeType;
using testing::ElementsAre;
using Strings = std::vector<std::string>;

const std::string kHead = "apiVersion: patchbay/v1\nkind: Config\n";
const std::string kDriver = "dra: {driver: dra.example.com}\n";

/// Compiles lab.yaml. `resources` is the list below `resources:`, indented by two.
Compiled compile_dra(const std::string& resources) {
  return compile_files({{"lab.yaml", kHead + kDriver + "resources:\n" + resources}});
}

/// "name: text" of each attribute, in the order of the plan.
Strings texts(const GroupPlan& group) {
  Strings out;
  for (const AttributePlan& attribute : group.attributes) {
    out.push_back(attribute.name + ": " + attribute.value.text());
  }
  return out;
}

TEST(DraCompile, FillsPlan) {
  const Compiled compiled = compile_dra(
      "  - name: a.io/x\n"
      "    serve: dra\n"
      "    match: {subsystem: tty}\n"
      "    dra: {attributes: {serial: $(usb.serial), firmware: {version: 1.2.0}, b: {bool: "
      "true}}}\n"
      "  - {name: a.io/y, match: {subsystem: net}}\n");
  ASSERT_NE(compiled.plan, nullptr) << compiled.printed;
  EXPECT_EQ(compiled.plan->driver, "dra.example.com");
  const ResourcePlan& dra = *compiled.plan->resources.at(0);
  EXPECT_EQ(dra.serve, config::Serve::dra);
  EXPECT_EQ(dra.driver, "dra.example.com");
  EXPECT_THAT(texts(dra.groups.at(0)),
              ElementsAre("b: true", "firmware: 1.2.0", "serial: $(usb.serial)"));
  EXPECT_EQ(dra.groups.at(0).attributes.at(0).type, AttributeType::boolean);
  EXPECT_EQ(dra.groups.at(0).attributes.at(1).type, AttributeType::version);
  EXPECT_EQ(dra.groups.at(0).attributes.at(2).type, AttributeType::text);
  EXPECT_EQ(dra.release_timeout, std::chrono::minutes(5));
  const ResourcePlan& other = *compiled.plan->resources.at(1);
  EXPECT_EQ(other.serve, config::Serve::device_plugin);
  EXPECT_EQ(other.driver, "");
  EXPECT_EQ(other.release_timeout, std::chrono::minutes(0));
}

TEST(DraCompile, SeveralFilesCanHaveTheSameReleaseTimeout) {
  const auto file = [](const std::string& name, const std::string& timeout) {
    return kHead + "dra: {driver: dra.example.com" + timeout + "}\nresources: [{name: a.io/" +
           name + ", match: {static: " + name + "}, serve: dra}]\n";
  };
  const Compiled compiled = compile_files({{"a.yaml", file("x", "")},
                                           {"b.yaml", file("y", ", releaseTimeout: 60s")},
                                           {"c.yaml", file("z", ", releaseTimeout: 1m")}});
  ASSERT_NE(compiled.plan, nullptr) << compiled.printed;
  for (const ResourcePlanPtr& resource : compiled.plan->resources) {
    EXPECT_EQ(resource->release_timeout, std::chrono::minutes(1)) << resource->name;
  }
  EXPECT_EQ(compile_files({{"a.yaml", file("x", ", releaseTimeout: 1s")},
                           {"b.yaml", file("y", ", releaseTimeout: 2s")}})
                .printed,
            "b.yaml:3:48: error: 'releaseTimeout' has another value at a.yaml:3\n"
            "    dra: {driver: dra.example.com, releaseTimeout: 2s}\n"
            "                                                   ^\n"
            "  hint: a configuration has one driver: write dra: in one of the files\n");
}

/// Values of devices, and paths that can depend on udev, are known before the steps are rendered.
TEST(DraCompile, QueryRequestsFactsOfRelease) {
  const auto wanted = [](const std::string& step) {
    const Compiled compiled = compile_dra(
        "  - name: a.io/x\n    serve: dra\n    match: {subsystem: tty}\n    id: a\n"
        "    release: [" +
        step + "]\n");
    EXPECT_NE(compiled.plan, nullptr) << compiled.printed;
    DeviceFacts cheap;
    cheap.subsystem = "tty";
    return host_query(compiled.plan)->wanted(cheap);
  };
  EXPECT_EQ(fake::names(wanted("{exec: [/hooks/x, $(attribute.speed)]}"), Fact::attribute),
            (Strings{"speed"}));
  EXPECT_TRUE(wanted("{wait: {path: /dev/lab-link}}").awaits_udev());
  EXPECT_FALSE(wanted("{wait: {path: /run/lab}}").awaits_udev());
}

TEST(DraCompile, GroupsHaveAttributesOfResourceUnlessTheyHaveOwn) {
  const Compiled compiled = compile_dra(
      "  - name: a.io/x\n"
      "    serve: dra\n"
      "    dra: {attributes: {found: \"$(name)\"}}\n"
      "    groups:\n"
      "      - match: {subsystem: tty}\n"
      "      - {match: {static: a}, dra: {attributes: {kind: net}}}\n"
      "      - {match: {static: b}, dra: {attributes: {}}}\n");
  ASSERT_NE(compiled.plan, nullptr) << compiled.printed;
  const auto& groups = compiled.plan->resources.at(0)->groups;
  EXPECT_THAT(texts(groups.at(0)), ElementsAre("found: $(name)"));
  EXPECT_THAT(texts(groups.at(1)), ElementsAre("kind: net"));
  EXPECT_THAT(texts(groups.at(2)), ElementsAre());
}

TEST(DraCompile, AttributesUseVariablesOfTheirGroup) {
  const Compiled compiled = compile_dra(
      "  - name: a.io/x\n"
      "    serve: dra\n"
      "    dra: {attributes: {port: $(capture.port)}}\n"
      "    groups:\n"
      "      - match: {subsystem: tty, name: {regex: 'ttyS(?P<port>\\d+)'}}\n"
      "      - match: {subsystem: net}\n");
  EXPECT_EQ(compiled.printed,
            "lab.yaml:7:30: error: no regex of this match captures 'port'\n"
            "        dra: {attributes: {port: $(capture.port)}}\n"
            "                                 ^\n"
            "  hint: name a group of a regex: (?P<port>…)\n");
}

TEST(DraCompile, SeveralFilesCanHaveTheSameDriver) {
  const std::string resource = "resources: [{name: a.io/x, match: {static: a}, serve: dra}]\n";
  const std::string other = "resources: [{name: a.io/y, match: {static: b}, serve: dra}]\n";
  const Compiled compiled =
      compile_files({{"a.yaml", kHead + resource}, {"b.yaml", kHead + kDriver + other}});
  ASSERT_NE(compiled.plan, nullptr) << compiled.printed;
  EXPECT_EQ(compiled.plan->resources.at(0)->driver, "dra.example.com");
  const Compiled twice =
      compile_files({{"a.yaml", kHead + kDriver + resource}, {"b.yaml", kHead + kDriver + other}});
  EXPECT_EQ(twice.printed, "");
  const Compiled different =
      compile_files({{"a.yaml", kHead + kDriver + resource},
                     {"b.yaml", kHead + "dra: {driver: b.example.com}\n" + other}});
  EXPECT_EQ(different.plan, nullptr);
  EXPECT_EQ(different.printed,
            "b.yaml:3:15: error: the driver's name is 'dra.example.com' at a.yaml:3\n"
            "    dra: {driver: b.example.com}\n"
            "                  ^\n"
            "  hint: a configuration has one driver: write dra: in one of the files\n");
}

TEST(DraCompile, QueryRequestsFactsOfPublishedAttributes) {
  const auto wanted = [](const std::string& keys) {
    const auto compiled = compile_dra("  - {name: a.io/x, match: {subsystem: tty}" + keys + "}\n");
    EXPECT_NE(compiled.plan, nullptr) << compiled.printed;
    DeviceFacts cheap;
    cheap.subsystem = "tty";
    cheap.name = "ttyUSB0";
    return host_query(compiled.plan)->wanted(cheap);
  };
  const WantedFacts plain = wanted(", id: $(name)");
  EXPECT_FALSE(plain.wants(Fact::usb) || plain.wants(Fact::pci));
  const WantedFacts dra = wanted(
      ", id: $(name), serve: dra, dra: {attributes: {speed: {int: \"$(attribute.speed)\"}}}");
  EXPECT_EQ(fake::names(dra, Fact::usb), (Strings{"product", "serial", "socket", "vendor"}));
  EXPECT_EQ(fake::names(dra, Fact::pci), (Strings{"address", "device", "vendor"}));
  EXPECT_EQ(fake::names(dra, Fact::attribute), (Strings{"speed"}));
  EXPECT_TRUE(dra.wants(Fact::numa_node));
  EXPECT_FALSE(dra.awaits_udev());
}

TEST(DraCompile, FilterForNodeKeepsDriver) {
  const Compiled compiled =
      compile_dra("  - {name: a.io/x, match: {static: a}, serve: dra, when: {node: other}}\n");
  ASSERT_NE(compiled.plan, nullptr) << compiled.printed;
  const PlanPtr here = filter_for_node(compiled.plan, {});
  EXPECT_TRUE(here->resources.empty());
  EXPECT_EQ(here->driver, "dra.example.com");
}

TEST(AttributeFault, ChecksValueByType) {
  const std::string longest(kMaxAttributeBytes, 'a');
  const std::vector<std::pair<AttributeType, Strings>> valid{
      {AttributeType::text, {"a", " ", "$(name)", longest}},
      {AttributeType::integer, {"0", "-1", "9223372036854775807", "-9223372036854775808"}},
      {AttributeType::boolean, {"true", "false", "1", "0"}},
      {AttributeType::version, {"1.2.3", "1.2.3-rc.1+001"}},
  };
  for (const auto& [type, values] : valid) {
    for (const std::string& value : values)
      EXPECT_EQ(attribute_fault(type, value), std::nullopt) << value;
  }
  const std::vector<std::pair<AttributeType, Strings>> wrong{
      {AttributeType::text, {"", "a\tb", longest + "b"}},
      {AttributeType::integer, {"", " 1", "+1", "0x1", "1.0", "9223372036854775808", "a"}},
      {AttributeType::boolean, {"", "True", "2", "yes"}},
      {AttributeType::version, {"", "1.2", "v1.2.3", "1.0.0+" + longest}},
  };
  for (const auto& [type, values] : wrong) {
    for (const std::string& value : values)
      EXPECT_NE(attribute_fault(type, value), std::nullopt) << value;
  }
}

}  // namespace
}  // namespace patchbay::rules
