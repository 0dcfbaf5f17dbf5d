#include "config/spec_reader.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/read_config.h"

namespace patchbay::config {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""min;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

/// The conditions on facts with names, in order.
std::vector<std::string> named_conditions(const MatchSpec& match) {
  std::vector<std::string> out;
  for (const FactConditionSpec& condition : match.conditions) {
    const FactInfo& fact = info(condition.fact);
    if (!fact.has_argument) continue;
    out.push_back(
        fmt::format("{}.{}: {}", fact.word, condition.name.value, condition.condition.text));
  }
  return out;
}

MatchSpec read_match(const std::string& lines) { return read_group("    match:\n" + lines).match; }

TEST(SpecReader, ReadsDefaultsAndResources) {
  const Read result = read(R"(apiVersion: patchbay/v1
kind: Config
defaults: {domain: lab.example.com, linger: 1h30m}
resources:
  - {name: uart, description: "0403", linger: 2s, match: {subsystem: tty}}
  - {name: other, match: {subsystem: usb}}
)");
  EXPECT_EQ(result.printed, "");
  EXPECT_EQ(result.spec.defaults.domain->value, "lab.example.com");
  EXPECT_EQ(result.spec.defaults.linger->value, 90min);
  ASSERT_EQ(result.spec.resources.size(), 2U);
  const ResourceSpec& uart = result.spec.resources[0];
  EXPECT_EQ(uart.name.value, "uart");
  EXPECT_EQ(position_text(uart.at), "5:5");
  EXPECT_EQ(position_text(uart.name.at), "5:12");
  EXPECT_EQ(uart.description, "0403");
  EXPECT_EQ(uart.linger->value, 2s);
  EXPECT_EQ(result.spec.resources[1].groups.size(), 1U);
}

TEST(SpecReader, AcceptsKeysInAnyOrder) {
  const Read result = read(
      "resources: [{match: {subsystem: tty}, name: a}]\nkind: Config\napiVersion: patchbay/v1\n");
  EXPECT_EQ(result.printed, "");
  EXPECT_EQ(result.spec.resources.at(0).name.value, "a");
}

TEST(SpecReader, ReadsEachMatchKey) {
  const MatchSpec match = read_match(R"(      subsystem: tty
      sysfs: /sys/a/*
      glob: [/dev/a*, "/dev/[b]"]
      name: n
      type: [char, block, file, dir, socket]
      devtype: t
      devnode: /dev/x
      driver: d
      attribute: {device/vendor: 0403, b: c}
      property: {P: q}
      tag: g
      link: /dev/l
)");
  EXPECT_EQ(match.find(Fact::subsystem)->text, "tty");
  EXPECT_EQ(position_text(match.find(Fact::subsystem)->at), "6:18");
  EXPECT_THAT(values(match.sysfs), ElementsAre("/sys/a/*"));
  EXPECT_THAT(values(match.glob), ElementsAre("/dev/a*", "/dev/[b]"));
  EXPECT_EQ(position_text(match.glob.at(1).at), "8:23");
  EXPECT_EQ(match.find(Fact::name)->text, "n");
  EXPECT_THAT(match.find(Fact::type)->list,
              ElementsAre(Field(&ConditionSpec::text, "char"), Field(&ConditionSpec::text, "block"),
                          Field(&ConditionSpec::text, "file"), Field(&ConditionSpec::text, "dir"),
                          Field(&ConditionSpec::text, "socket")));
  EXPECT_EQ(match.find(Fact::devtype)->text, "t");
  EXPECT_EQ(match.find(Fact::devnode)->text, "/dev/x");
  EXPECT_EQ(match.find(Fact::driver)->text, "d");
  const auto named = named_conditions(match);
  EXPECT_THAT(named,
              ElementsAre("attribute.device/vendor: 0403", "attribute.b: c", "property.P: q"));
  EXPECT_EQ(match.find(Fact::tag)->text, "g");
  EXPECT_EQ(match.find(Fact::link)->text, "/dev/l");
  EXPECT_THAT(values(match.keys),
              ElementsAre("subsystem", "sysfs", "glob", "name", "type", "devtype", "devnode",
                          "driver", "attribute", "property", "tag", "link"));
  EXPECT_EQ(position_text(match.keys[4].at), "10:7");
  EXPECT_FALSE(match.broken);
}

TEST(SpecReader, ReadsConditionAsTextListOrMapping) {
  using Form = ConditionSpec::Form;
  const MatchSpec match = read_match(R"(      subsystem: 0403
      name: [a, {regex: "c"}, [b]]
      driver: {ge: "2", regex: 'b+', exists: FALSE, not: [c, d]}
)");
  EXPECT_EQ(match.find(Fact::subsystem)->form, Form::text);
  EXPECT_EQ(match.find(Fact::subsystem)->text, "0403");
  ASSERT_EQ(match.find(Fact::name)->form, Form::list);
  ASSERT_EQ(match.find(Fact::name)->list.size(), 3U);
  EXPECT_EQ(match.find(Fact::name)->list[0].text, "a");
  EXPECT_EQ(match.find(Fact::name)->list[1].form, Form::mapping);
  EXPECT_EQ(match.find(Fact::name)->list[1].regex->value, "c");
  EXPECT_EQ(match.find(Fact::name)->list[2].form, Form::list);
  const ConditionSpec& driver = *match.find(Fact::driver);
  ASSERT_EQ(driver.form, Form::mapping);
  EXPECT_EQ(driver.ge->value, "2");
  EXPECT_EQ(driver.regex->value, "b+");
  EXPECT_EQ(position_text(driver.regex->at), "8:32");
  EXPECT_FALSE(driver.exists->value);
  ASSERT_EQ(driver.negated.size(), 1U);
  EXPECT_EQ(driver.negated[0].list.size(), 2U);
}

TEST(SpecReader, ReadsContainerEntries) {
  const GroupSpec group = read_group(R"(    match: {subsystem: tty}
    id: $(name)
    devices:
      - /dev/kfd
      - {hostPath: /dev/a, containerPath: /dev/b, permissions: r, links: true, optional: True,
         mode: "0660", uid: 1000, gid: 20}
    mounts:
      - {hostPath: /opt}
      - {hostPath: /opt, containerPath: /usr, readOnly: false}
    envs:
      A: $(id)
      B: {value: "", join: ""}
      C: ""
    annotations: {e.example.com/x: ""}
)");
  EXPECT_EQ(group.id->value, "$(name)");
  ASSERT_EQ(group.devices->size(), 2U);
  EXPECT_EQ((*group.devices)[0].host_path.value, "/dev/kfd");
  EXPECT_EQ((*group.devices)[0].container_path, std::nullopt);
  EXPECT_FALSE((*group.devices)[0].links.value);
  EXPECT_FALSE((*group.devices)[0].optional.value);
  const DeviceEntrySpec& device = (*group.devices)[1];
  EXPECT_EQ(device.host_path.value, "/dev/a");
  EXPECT_EQ(device.container_path->value, "/dev/b");
  EXPECT_EQ(device.permissions->value, "r");
  EXPECT_EQ(device.mode->value, "0660");
  EXPECT_EQ(device.uid->value, "1000");
  EXPECT_EQ(device.gid->value, "20");
  EXPECT_TRUE(device.links.value);
  EXPECT_TRUE(device.optional.value);
  ASSERT_EQ(group.mounts.size(), 2U);
  EXPECT_TRUE(group.mounts[0].read_only);
  EXPECT_EQ(group.mounts[1].container_path->value, "/usr");
  EXPECT_FALSE(group.mounts[1].read_only);
  ASSERT_EQ(group.envs.size(), 3U);
  EXPECT_EQ(group.envs[0].name.value, "A");
  EXPECT_EQ(group.envs[0].value.value, "$(id)");
  EXPECT_EQ(group.envs[0].join, std::nullopt);
  EXPECT_EQ(group.envs[1].join->value, "");
  EXPECT_EQ(group.envs[2].value.value, "");
  ASSERT_EQ(group.annotations.size(), 1U);
  EXPECT_EQ(group.annotations[0].name.value, "e.example.com/x");
  EXPECT_EQ(group.annotations[0].value.value, "");
}

TEST(SpecReader, DistinguishesEmptyDevicesFromAbsent) {
  EXPECT_EQ(read_group("    match: {subsystem: tty}\n").devices, std::nullopt);
  EXPECT_THAT(read_group("    match: {subsystem: tty}\n    devices: []\n").devices.value(),
              IsEmpty());
}

TEST(SpecReader, CopiesResourceKeysToGroupsWithoutThem) {
  const ResourceSpec spec = read_resource(R"(    id: shared
    devices: [/dev/shared]
    mounts: [{hostPath: /shared}]
    envs: {SHARED: x}
    annotations: {shared.example.com/a: x}
    groups:
      - match: {subsystem: tty}
      - match: {subsystem: usb}
        id: own
        devices: []
        mounts: []
        envs: {OWN: y}
        annotations: {}
)");
  ASSERT_EQ(spec.groups.size(), 2U);
  const GroupSpec& lacks = spec.groups[0];
  EXPECT_EQ(lacks.match.find(Fact::subsystem)->text, "tty");
  EXPECT_EQ(position_text(lacks.at), "11:9");
  EXPECT_EQ(lacks.id->value, "shared");
  EXPECT_EQ(lacks.devices->size(), 1U);
  EXPECT_EQ(lacks.mounts.size(), 1U);
  EXPECT_EQ(lacks.envs.at(0).name.value, "SHARED");
  EXPECT_EQ(lacks.annotations.size(), 1U);
  const GroupSpec& own = spec.groups[1];
  EXPECT_EQ(own.match.find(Fact::subsystem)->text, "usb");
  EXPECT_EQ(own.id->value, "own");
  EXPECT_THAT(*own.devices, IsEmpty());
  EXPECT_THAT(own.mounts, IsEmpty());
  ASSERT_EQ(own.envs.size(), 1U);  // The group's list replaces the resource's list.
  EXPECT_EQ(own.envs[0].name.value, "OWN");
  EXPECT_THAT(own.annotations, IsEmpty());
}

TEST(SpecReader, ContinuesAfterErrorsAndMarksBrokenMatch) {
  const Read result = read(resource(R"(    match: {subsystm: tty, name: x}
    devices: [/dev/a, {links: true}]
    envs: {A: [x], B: y}
  - {name: c, match: {subsystem: []}}
  - {name: d, match: {subsystem: usb}}
  - {match: {subsystem: usb}}
  - text
)"));
  EXPECT_NE(result.printed, "");
  ASSERT_EQ(result.spec.resources.size(), 4U);
  const GroupSpec& first = result.spec.resources[0].groups.at(0);
  EXPECT_TRUE(first.match.broken);
  EXPECT_EQ(first.match.find(Fact::name)->text, "x");
  EXPECT_THAT(values(first.match.keys), ElementsAre("name"));
  EXPECT_EQ(first.devices, std::nullopt);  // An incomplete list is dropped as a whole.
  ASSERT_EQ(first.envs.size(), 1U);
  EXPECT_EQ(first.envs[0].name.value, "B");
  const MatchSpec& second = result.spec.resources[1].groups.at(0).match;
  EXPECT_TRUE(second.broken);
  EXPECT_EQ(second.find(Fact::subsystem), nullptr);
  EXPECT_THAT(values(second.keys), ElementsAre("subsystem"));
  EXPECT_FALSE(result.spec.resources[2].groups.at(0).match.broken);
  EXPECT_EQ(result.spec.resources[3].name.at.source, nullptr);  // The name is unreadable.
}

TEST(SpecReader, ReadsDurations) {
  const auto linger = [](const std::string& text) {
    return read_resource("    match: {subsystem: tty}\n    linger: " + text + "\n").linger->value;
  };
  EXPECT_EQ(linger("100ms"), 100ms);
  EXPECT_EQ(linger("'2s'"), 2s);
  EXPECT_EQ(linger("1h2m3s4ms"), 3'723'004ms);
  EXPECT_EQ(linger("0s"), 0ms);
  EXPECT_EQ(linger("8760h"), std::chrono::hours{8760});
  for (const std::string bad : {"5", "0", "s", "5 s", "1.5s", "-1s", "+1s", "1m1h", "1s1s", "1d",
                                "5ms1s", "5S", "1h ", "1sm", "5m3", "8761h", "4294967296ms"}) {
    EXPECT_NE(read(resource("    match: {subsystem: tty}\n    linger: '" + bad + "'\n")).printed,
              "")
        << bad;
  }
}

TEST(SpecReader, AcceptsOnlyTrueAndFalseAsBool) {
  for (const std::string bad : {"yes", "no", "on", "off", "y", "1", "tRUE", "'true'"}) {
    EXPECT_NE(read(resource("    match: {subsystem: {exists: " + bad + "}}\n")).printed, "") << bad;
  }
}

TEST(SpecReader, WrongApiVersionIsTheOnlyError) {
  const Read result = read("apiVersion: patchbay/v2\nkind: Config\nunheardOf: 1\n");
  EXPECT_TRUE(result.spec.resources.empty());
  EXPECT_EQ(std::ranges::count(result.printed, '^'), 1);
}

}  // namespace
}  // namespace patchbay::config
