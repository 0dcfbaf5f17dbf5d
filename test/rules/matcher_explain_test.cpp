// Tests the reported reasons why a device does not match.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/facts.h"
#include "rules/compiled.h"
#include "rules/match/matcher.h"
#include "rules/plan/plan.h"

namespace patchbay::rules {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Lines = std::vector<std::string>;

/// The matcher of a match on one line, which is line 5 of lab.yaml.
Matcher matcher_of_line(const std::string& block) {
  const Compiled compiled = compile_group("    match: " + block + "\n    id: $(name)\n");
  // Ignores warnings, because these tests compare values that no device has.
  EXPECT_NE(compiled.plan, nullptr) << compiled.printed;
  return compiled.plan->resources.at(0)->groups.at(0).match;
}

DeviceFacts above(const std::string& name, const std::string& subsystem) {
  DeviceFacts facts;
  facts.key = "/sys/devices/" + name;
  facts.name = name;
  facts.subsystem = subsystem;
  return facts;
}

DeviceFacts adapter_below_hub() {
  DeviceFacts facts;
  facts.key = "/sys/devices/pci0/usb1/1-1/ttyUSB0";
  facts.name = "ttyUSB0";
  facts.subsystem = "tty";
  facts.devnode = "/dev/ttyUSB0";
  fake::set(facts, Fact::attribute, "port_number", {"0"});
  fake::set(facts, Fact::tag, {"seat", "systemd"});
  fake::set(facts, Fact::usb, "vendor", {"0403"});
  fake::set(facts, Fact::usb, "product", {"6001"});
  facts.found_by = {{"/sys/class/tty/*", "/sys/class/tty/ttyUSB0"}};
  fake::set(facts, Fact::file, "/proc/driver/ttyUSB0", {"idle"});
  DeviceFacts hub = above("1-1", "usb");
  hub.devtype = "usb_device";
  DeviceFacts interface = above("1-1:1.0", "usb");
  interface.devtype = "usb_interface";
  facts.ancestors = {interface, hub, above("0000:00:14.0", "pci"), above("pci0000:00", "")};
  return facts;
}

DeviceFacts path() {
  DeviceFacts facts;
  facts.key = "/dev/ttyUSB0";
  facts.kind = DeviceKind::path;
  facts.name = "ttyUSB0";
  facts.path_type = PathType::character_device;
  facts.found_by = {{"/dev/ttyUSB*", "/dev/ttyUSB0"}};
  return facts;
}

/// Appends the mismatch as "column: condition: actual", with nested mismatches indented below.
void append(const Mismatch& mismatch, const std::string& indent, Lines& out) {
  EXPECT_EQ(mismatch.at.line, 5);
  out.push_back(indent + std::to_string(mismatch.at.column) + ": " + mismatch.condition + ": " +
                mismatch.actual);
  for (const Mismatch& nested : mismatch.nested) append(nested, indent + "  ", out);
}

/// The mismatches of a device. Expects that there are some exactly if the match fails.
Lines failed(const std::string& block, const DeviceFacts& facts) {
  const Matcher match = matcher_of_line(block);
  Lines out;
  for (const Mismatch& mismatch : match.mismatches(facts)) append(mismatch, "", out);
  Captures captures;
  EXPECT_EQ(match.matches(facts, captures), out.empty()) << block;
  return out;
}

TEST(MatcherMismatches, AreEmptyForMatchingDevice) {
  for (const std::string block :
       {"{subsystem: tty}", "{subsystem: tty, usb: {vendor: \"0403\"}}",
        "{subsystem: tty, ancestor: {subsystem: pci}}", "{sysfs: /sys/class/tty/*}",
        "{subsystem: tty, any: [{name: x}, {name: ttyUSB0}], except: {name: y}}",
        "{subsystem: tty, file: {/proc/driver/$(name): idle}}"}) {
    EXPECT_THAT(failed(block, adapter_below_hub()), IsEmpty());
  }
  EXPECT_THAT(failed("{glob: /dev/ttyUSB*, type: char}", path()), IsEmpty());
}

TEST(MatcherMismatches, ShowValuesOfVariables) {
  EXPECT_THAT(failed("{subsystem: tty, file: {/proc/driver/ttyUSB0: {not: \"id*$(usb.product:-)\", "
                     "regex: '$(usb.vendor)'}}}",
                     adapter_below_hub()),
              ElementsAre("58: file: {/proc/driver/ttyUSB0: {not: \"id*$(usb.product:-)\", regex: "
                          "\"$(usb.vendor)\"}}: /proc/driver/ttyUSB0 is \"idle\", $(usb.product) "
                          "is \"6001\", $(usb.vendor) is \"0403\""));
  EXPECT_THAT(failed("{subsystem: tty, name: {not: \"*$(usb.serial)\"}}", adapter_below_hub()),
              ElementsAre("35: name: {not: \"*$(usb.serial)\"}: name is \"ttyUSB0\", "
                          "'*$(usb.serial)' needs $(usb.serial), which the device does not have"));
}

TEST(MatcherMismatches, ShowAllOfSeveralValues) {
  DeviceFacts facts = adapter_below_hub();
  fake::set(facts, Fact::attribute, "net/*/carrier", {"0", "2"});
  EXPECT_THAT(
      failed("{subsystem: tty, attribute: {net/*/carrier: \"1\"}}", facts),
      ElementsAre(
          R"(56: attribute: {net/*/carrier: "1"}: attribute.net/*/carrier is "0" and "2")"));
}

TEST(MatcherMismatches, StateOnlySubsystemIfSubsystemDiffers) {
  EXPECT_THAT(failed("{subsystem: net, name: eth0}", adapter_below_hub()),
              ElementsAre(R"(24: subsystem: "net": subsystem is "tty")"));
}

TEST(MatcherMismatches, StateOnlyKindIfKindDiffers) {
  EXPECT_THAT(
      failed("{glob: /dev/ttyUSB*, name: x}", adapter_below_hub()),
      ElementsAre("12: glob: /dev/ttyUSB*: the rule selects paths, but this is a kernel device"));
  EXPECT_THAT(
      failed("{subsystem: tty, name: x}", path()),
      ElementsAre(R"(12: subsystem: "tty": the rule selects kernel devices, but this is a path)"));
  EXPECT_THAT(failed("{static: [a]}", path()),
              ElementsAre("12: static: a: the rule selects static names, but this is a path"));
  DeviceFacts directory = adapter_below_hub();
  directory.kind = DeviceKind::sysfs_directory;
  EXPECT_THAT(failed("{subsystem: tty}", directory),
              ElementsAre("12: subsystem: \"tty\": "
                          "the rule selects kernel devices, but this is a directory below /sys "
                          "that is not a kernel device"));
}

TEST(MatcherMismatches, StateOnlyPatternIfPatternDoesNotFindDevice) {
  EXPECT_THAT(failed("{glob: [/dev/ttyS*, /dev/ttyACM*], name: x}", path()),
              ElementsAre("12: glob: [/dev/ttyS*, /dev/ttyACM*]: "
                          "/dev/ttyUSB0 is not found by this rule"));
  EXPECT_THAT(failed("{sysfs: /sys/class/net/*}", adapter_below_hub()),
              ElementsAre("12: sysfs: /sys/class/net/*: "
                          "/sys/devices/pci0/usb1/1-1/ttyUSB0 is not found by this rule"));
}

TEST(MatcherMismatches, ShowActualValueOfEachCondition) {
  EXPECT_THAT(
      failed("{subsystem: tty, name: x, tag: a, usb: {vendor: \"1234\", product: \"6001\"}, "
             "attribute: {port_number: \"1\"}, property: {ID_SERIAL: x}, driver: d}",
             adapter_below_hub()),
      ElementsAre(R"(35: name: "x": name is "ttyUSB0")", R"(151: driver: "d": driver is absent)",
                  R"(60: usb: {vendor: "1234"}: usb.vendor is "0403")",
                  R"(111: attribute: {port_number: "1"}: attribute.port_number is "0")",
                  R"(139: property: {ID_SERIAL: "x"}: property.ID_SERIAL is absent)",
                  R"(43: tag: "a": tag is "seat" and "systemd")"));
}

TEST(MatcherMismatches, EscapeHostileValues) {
  DeviceFacts facts = adapter_below_hub();
  fake::set(facts, Fact::usb, "serial", {"\x1b[2J\xff"});
  EXPECT_THAT(failed("{subsystem: tty, usb: {serial: x}}", facts),
              ElementsAre(R"(43: usb: {serial: "x"}: usb.serial is "\x1b[2J\xff")"));
}

TEST(MatcherMismatches, ShowPathOfFileCondition) {
  EXPECT_THAT(failed("{subsystem: tty, file: {/proc/driver/$(name): busy}}", adapter_below_hub()),
              ElementsAre(R"(58: file: {/proc/driver/$(name): "busy"}: )"
                          R"(/proc/driver/ttyUSB0 is "idle")"));
  EXPECT_THAT(failed("{subsystem: tty, file: {/etc/$(name): {exists: true}}}", adapter_below_hub()),
              ElementsAre("50: file: {/etc/$(name): {exists: true}}: /etc/ttyUSB0 is absent"));
  EXPECT_THAT(failed("{subsystem: tty, file: {/etc/$(driver): x}}", adapter_below_hub()),
              ElementsAre(testing::HasSubstr("needs $(driver), which the device does not have")));
}

TEST(MatcherMismatches, ShowPathTypes) {
  EXPECT_THAT(failed("{glob: /dev/ttyUSB*, type: [file, dir]}", path()),
              ElementsAre(R"(40: type: ["file", "dir"]: type is "char")"));
}

TEST(MatcherMismatches, ExplainEachBlockOfAny) {
  EXPECT_THAT(
      failed("{subsystem: tty, any: [{name: x}, {name: y, driver: d}]}", adapter_below_hub()),
      ElementsAre(R"(35: any: [{name: "x"}, {name: "y", driver: "d"}]: none of its blocks matches)",
                  R"(  42: name: "x": name is "ttyUSB0")",
                  R"(  46: name: "y", driver: "d": the block does not match)",
                  R"(    53: name: "y": name is "ttyUSB0")",
                  R"(    64: driver: "d": driver is absent)"));
}

TEST(MatcherMismatches, StateMatchingBlockOfExcept) {
  EXPECT_THAT(
      failed("{subsystem: tty, except: [{name: x}, {name: \"tty*\", usb: {vendor: \"0403\"}}]}",
             adapter_below_hub()),
      ElementsAre(
          R"(49: except: [{name: "tty*", usb: {vendor: "0403"}}]: an except: block matches)"));
}

TEST(MatcherMismatches, StateSubsystemsOfAncestors) {
  EXPECT_THAT(failed("{subsystem: tty, ancestor: {subsystem: net, name: x}}", adapter_below_hub()),
              ElementsAre(R"(39: ancestor: [{subsystem: "net", name: "x"}]: )"
                          R"(only "pci" and "usb" is above it)"));
  DeviceFacts alone = adapter_below_hub();
  alone.ancestors.clear();
  EXPECT_THAT(failed("{subsystem: tty, ancestor: {subsystem: net}}", alone),
              ElementsAre(R"(39: ancestor: [{subsystem: "net"}]: no device is above it)"));
}

TEST(MatcherMismatches, ExplainClosestAncestorsFirst) {
  EXPECT_THAT(
      failed("{subsystem: tty, ancestor: {subsystem: usb, devtype: usb_device, name: 1-2}}",
             adapter_below_hub()),
      ElementsAre(R"(39: ancestor: [{subsystem: "usb", name: "1-2", devtype: "usb_device"}]: )"
                  "no device above it matches",
                  R"(  39: subsystem: "usb", name: "1-2", devtype: "usb_device": )"
                  "not /sys/devices/1-1",
                  R"(    83: name: "1-2": name is "1-1")",
                  R"(  39: subsystem: "usb", name: "1-2", devtype: "usb_device": )"
                  "not /sys/devices/1-1:1.0",
                  R"(    83: name: "1-2": name is "1-1:1.0")",
                  R"(    65: devtype: "usb_device": devtype is "usb_interface")"));
}

TEST(MatcherMismatches, ExplainFilePathWithAbsentValue) {
  EXPECT_THAT(failed("{subsystem: tty, file: {/etc/off/$(usb.serial): {exists: false}}}",
                     adapter_below_hub()),
              ElementsAre("60: file: {/etc/off/$(usb.serial): {exists: false}}: "
                          "'/etc/off/$(usb.serial)' needs $(usb.serial), which the device does not "
                          "have"));
  EXPECT_EQ(failed("{subsystem: tty, except: {file: {/etc/off/$(usb.serial): \"*\"}}}",
                   adapter_below_hub())
                .size(),
            1U);
}

TEST(MatcherMismatches, ShowAtMostFourAncestors) {
  DeviceFacts deep = adapter_below_hub();
  deep.ancestors.assign(9, above("hub", "usb"));
  EXPECT_EQ(failed("{subsystem: tty, ancestor: {name: x}}", deep).size(), 1U + 4 * 2);
}

}  // namespace
}  // namespace patchbay::rules
