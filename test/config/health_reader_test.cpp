#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/part_readers.h"
#include "config/read_config.h"

/// Tests how keys for the health and choice of units are read into the spec.
namespace patchbay::config {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;

/// Reads a file with one resource. `lines` are its keys, indented by four; they begin in line 6.
Read read_below_defaults(const std::string& lines,
                         const std::string& defaults = "domain: example.com") {
  const std::string head = "apiVersion: patchbay/v1\nkind: Config\ndefaults: {" + defaults +
                           "}\nresources:\n  - name: a.example.com/b\n";
  return read(head + lines);
}

ResourceSpec resource_below_defaults(const std::string& lines) {
  return first_resource(read_below_defaults(lines));
}

GroupSpec group_of_terminals(const std::string& lines) {
  return only_group(resource_below_defaults("    match: {subsystem: tty}\n" + lines));
}

TEST(HealthReader, ReadsEachKindOfProbe) {
  const auto health = group_of_terminals(R"(    health:
      - open: $(devnode)
      - open: {path: /dev/a, mode: rw}
      - attribute: {carrier: "1", state: {not: down}}
      - property: {ID_BUS: usb}
      - file: {/proc/devices: a}
      - exec: [/probes/a, "-v", ""]
      - tcp: scope1:5025
)")
                          .health;
  ASSERT_EQ(health.size(), 7U);
  std::vector<std::string_view> kinds;
  for (const ProbeSpec& probe : health) kinds.push_back(word_of(probe.kind.value));
  EXPECT_THAT(kinds, ElementsAre("open", "open", "attribute", "property", "file", "exec", "tcp"));
  EXPECT_EQ(position_text(health[0].at), "8:9");
  EXPECT_EQ(position_text(health[0].kind.at), "8:9");
  EXPECT_EQ(health[0].text.value, "$(devnode)");
  EXPECT_EQ(position_text(health[0].text.at), "8:15");
  EXPECT_EQ(health[0].mode.has_value(), false);
  EXPECT_EQ(health[1].text.value, "/dev/a");
  EXPECT_EQ(health[1].mode->value, OpenMode::both);
  ASSERT_EQ(health[2].conditions.size(), 2U);
  EXPECT_EQ(health[2].conditions[1].name.value, "state");
  EXPECT_EQ(health[2].conditions[1].condition.negated.at(0).text, "down");
  EXPECT_EQ(health[3].conditions.at(0).name.value, "ID_BUS");
  EXPECT_EQ(health[4].conditions.at(0).name.value, "/proc/devices");
  EXPECT_THAT(values(health[5].arguments), ElementsAre("/probes/a", "-v", ""));
  EXPECT_EQ(health[6].text.value, "scope1:5025");
}

TEST(HealthReader, ReadsOptionsInAnyOrder) {
  const ProbeSpec probe = group_of_terminals(R"(    health:
      - period: 30s
        tcp: scope1:5025
        failureThreshold: 2
        successThreshold: "4"
        timeout: 5s
)")
                              .health.at(0);
  EXPECT_EQ(probe.kind.value, Check::Kind::tcp);
  EXPECT_EQ(position_text(probe.kind.at), "9:9");
  EXPECT_EQ(probe.options.period->value, seconds(30));
  EXPECT_EQ(probe.options.timeout->value, seconds(5));
  EXPECT_EQ(probe.options.failure_threshold->value, "2");
  EXPECT_EQ(probe.options.success_threshold->value, "4");
}

TEST(HealthReader, LeavesAbsentOptionsEmpty) {
  const ProbeSpec probe = group_of_terminals("    health: [{tcp: \"a:1\"}]\n").health.at(0);
  EXPECT_EQ(probe.options.period.has_value(), false);
  EXPECT_EQ(probe.options.failure_threshold.has_value(), false);
}

TEST(HealthReader, ReadsEachKindOfStep) {
  const auto steps = group_of_terminals(R"(    preStart:
      - exec: [/hooks/a, ""]
      - write: {path: /sys/a, value: "on"}
      - usbReset: true
      - wait: {path: $(devnode), for: 5s}
      - wait: {path: /dev/a}
)")
                         .pre_start;
  ASSERT_EQ(steps.size(), 5U);
  std::vector<std::string_view> kinds;
  for (const StepSpec& step : steps) kinds.push_back(word_of(step.kind.value));
  EXPECT_THAT(kinds, ElementsAre("exec", "write", "usbReset", "wait", "wait"));
  EXPECT_THAT(values(steps[0].arguments), ElementsAre("/hooks/a", ""));
  EXPECT_EQ(steps[1].path.value, "/sys/a");
  EXPECT_EQ(steps[1].value.value, "on");
  EXPECT_EQ(position_text(steps[2].kind.at), "10:9");
  EXPECT_TRUE(steps[2].usb_reset.value);
  EXPECT_EQ(steps[3].path.value, "$(devnode)");
  EXPECT_EQ(steps[3].wait_for->value, seconds(5));
  EXPECT_EQ(steps[4].wait_for.has_value(), false);
}

TEST(HealthReader, ReadsCdiAsWriteOrAsNames) {
  const CdiSpec write = group_of_terminals("    cdi: write\n").cdi.value();
  EXPECT_TRUE(write.write);
  EXPECT_THAT(write.names, testing::IsEmpty());
  const CdiSpec names =
      group_of_terminals("    cdi: [nvidia.com/gpu=$(id), a.b/c=d]\n").cdi.value();
  EXPECT_FALSE(names.write);
  EXPECT_THAT(values(names.names), ElementsAre("nvidia.com/gpu=$(id)", "a.b/c=d"));
  EXPECT_EQ(group_of_terminals("").cdi.has_value(), false);
}

TEST(HealthReader, ReadsPreferAndTopology) {
  const ResourceSpec spec = resource_below_defaults(R"(    match: {subsystem: tty}
    prefer: [closest, numa]
    topology: none
    deviceInfo: pci
)");
  EXPECT_THAT(values(spec.prefer), ElementsAre(Preference::closest, Preference::numa));
  EXPECT_EQ(spec.topology->value, Topology::none);
  EXPECT_EQ(spec.device_info->value, DeviceInfoFormat::pci);
  const ResourceSpec one =
      resource_below_defaults("    match: {subsystem: tty}\n    prefer: packed\n");
  EXPECT_THAT(values(one.prefer), ElementsAre(Preference::packed));
  EXPECT_EQ(one.topology.has_value(), false);
  EXPECT_EQ(one.device_info.has_value(), false);
}

/// A key of a group replaces that of the resource as a whole, also if it is empty.
TEST(HealthReader, CopiesResourceKeysToGroupsWithoutThem) {
  const ResourceSpec spec = resource_below_defaults(R"(    cdi: write
    health: [{tcp: "a:1"}, {tcp: "a:2"}]
    preStart: [{usbReset: true}]
    groups:
      - match: {subsystem: tty}
      - match: {subsystem: usb}
        cdi: [a.b/c=d]
        health: []
        preStart: []
)");
  ASSERT_EQ(spec.groups.size(), 2U);
  EXPECT_TRUE(spec.groups[0].cdi->write);
  EXPECT_EQ(spec.groups[0].health.size(), 2U);
  EXPECT_EQ(spec.groups[0].pre_start.size(), 1U);
  EXPECT_FALSE(spec.groups[1].cdi->write);
  EXPECT_EQ(spec.groups[1].health.size(), 0U);
  EXPECT_EQ(spec.groups[1].pre_start.size(), 0U);
}

/// The compiler relies on a spec in which each item is complete.
TEST(HealthReader, DropsIncompleteItems) {
  const Read result = read_below_defaults(R"(    match: {subsystem: tty}
    prefer: [numa, best]
    topology: no
    health:
      - {}
      - period: 5s
      - {open: /dev/a, tcp: "a:1"}
      - exec: []
      - open: {mode: r}
      - {tcp: "a:1", period: broken}
      - tcp: a:1
    preStart: [{wait: {for: 2s}}, {usbReset: true, exec: [/a]}, {write: {path: /a}}]
    cdi: {}
)");
  EXPECT_NE(result.printed, "");
  const ResourceSpec& spec = result.spec.resources.at(0);
  EXPECT_THAT(values(spec.prefer), ElementsAre(Preference::numa));
  EXPECT_EQ(spec.topology.has_value(), false);
  const GroupSpec& group = spec.groups.at(0);
  ASSERT_EQ(group.health.size(), 1U);
  EXPECT_EQ(group.health[0].text.value, "a:1");
  EXPECT_EQ(group.pre_start.size(), 0U);
  EXPECT_EQ(group.cdi.has_value(), false);
}

}  // namespace
}  // namespace patchbay::config
