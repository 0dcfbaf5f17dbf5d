#include "cli/commands/resolution_view.h"

#include <chrono>

#include <gtest/gtest.h>

#include "cli/commands/status_fields.h"
#include "dra/dra_fixture.h"
#include "fake/facts.h"
#include "inventory/inventory_fixture.h"

namespace patchbay::cli {
namespace {

Json model_of(const inventory::Inventory& inventory) {
  return resolution_json(*inventory.plan(), inventory.last(), {}, {});
}

std::string json_of(const inventory::Inventory& inventory) {
  return json_text(model_of(inventory), -1);
}

std::string table_of(const inventory::Inventory& inventory, const ResolutionLayout& layout = {}) {
  return resolution_table(model_of(inventory), *inventory.plan(), {}, layout);
}

TEST(ResolutionView, ShowsEmptyHost) {
  inventory::Inventory inventory(
      inventory::plan_of("  - {name: a.io/net, match: {subsystem: net}, id: $(name)}\n"));
  inventory.resolve(inventory::kStart);
  EXPECT_EQ(table_of(inventory),
            "RESOURCE  UNIT  STATE  DEVICE  ID FROM  REASON\n"
            "a.io/net  -     no device matches\n");
  EXPECT_EQ(json_of(inventory),
            "{\"resources\":[{\"name\":\"a.io/net\",\"description\":\"\",\"units\":[],"
            "\"refused\":[],\"degraded\":[],\"unresponsive\":[]}],\"excluded\":[],"
            "\"unmatchedGroups\":[]}\n");
}

TEST(ResolutionView, ShowsUnitWithEmptyAllocation) {
  inventory::Inventory inventory(
      inventory::plan_of("  - {name: a.io/can, match: {subsystem: net}, id: $(name)}\n"));
  DeviceFacts can = inventory::serial("can0", "");
  can.subsystem = "net";
  can.devnode.clear();
  inventory.apply(inventory::shared(can));
  inventory.resolve(inventory::kStart);
  const std::string text = table_of(inventory);
  EXPECT_NE(text.find("healthy  /sys/devices/usb/can0  id       gives a container nothing\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\nwarning: a.io/can: unit 'can0' gives a container nothing (a network"),
            std::string::npos)
      << text;
  const std::string json = json_of(inventory);
  EXPECT_NE(json.find(R"("warnings":[{"reason":"unit 'can0' gives)"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("emptyAllocation":"a network interface has no)"), std::string::npos);
}

TEST(ResolutionView, ShowsOmittedAttributes) {
  inventory::Inventory inventory(dra::dra_plan(
      "  - {name: a.io/uart, match: {subsystem: tty}, id: $(name)}\n", {{"to", "$(usb.serial)"}}));
  inventory.apply(inventory::shared(dra::adapter("ttyUSB0", "")));
  inventory.resolve(inventory::kStart);
  EXPECT_EQ(table_of(inventory),
            "RESOURCE   UNIT     STATE    DEVICE        ID FROM  REASON\n"
            "a.io/uart  ttyUSB0  healthy  /dev/ttyUSB0  id\n"
            "\n"
            "warning: a.io/uart: unit 'ttyUSB0' is published without the attribute 'to' "
            "('$(usb.serial)' needs $(usb.serial), which the device does not have): correct its "
            "template, or select by another attribute\n");
  const std::string json = json_of(inventory);
  EXPECT_NE(json.find(R"("warnings":[{"reason":"unit 'ttyUSB0' is published without)"),
            std::string::npos)
      << json;
}

TEST(ResolutionView, ShowsDegradedRule) {
  inventory::Inventory inventory(
      inventory::plan_of("  - {name: a.io/one, match: {glob: /srv/*/*}}\n"
                         "  - {name: a.io/two, groups: [{match: {static: [x]}, id: x},\n"
                         "     {match: {glob: [/dev/x, /srv/*/*]}, id: $(name)}]}\n"));
  ASSERT_TRUE(inventory.set_pattern_truncation("/srv/*/*", "it leads too far"));
  inventory.resolve(inventory::kStart);
  EXPECT_NE(table_of(inventory).find(
                "\n\nNOT OFFERED BY  KIND      UNIT  DEVICE    REASON\n"
                "a.io/one        degraded  -     /srv/*/*  it leads too far\n"
                "a.io/two        degraded  -     /srv/*/*  group 2: it leads too far\n"),
            std::string::npos);
  EXPECT_NE(json_of(inventory).find("\"degraded\":[{\"group\":2,\"pattern\":\"/srv/*/*\","
                                    "\"reason\":\"it leads too far\"}]"),
            std::string::npos);
}

TEST(ResolutionView, ShowsTimeAndReasonOfUnhealthyState) {
  inventory::Inventory inventory(
      inventory::plan_of("  - {name: a.io/tty, match: {subsystem: tty}, id: $(name)}\n"));
  inventory.apply(inventory::shared(inventory::serial("a", "")));
  inventory::Health health{.healthy = false, .reason = "no answer"};
  const WallClock clock{.ahead = std::chrono::hours(24)};
  const auto json = [&](inventory::Inventory::Time now) {
    const auto& resolution = inventory::resolve_as(inventory, health, now);
    return json_text(resolution_json(*inventory.plan(), resolution, {}, clock), -1);
  };
  EXPECT_NE(json(inventory::kStart)
                .find("\"healthy\":false,\"reason\":\"no answer\","
                      "\"since\":\"1970-01-02T01:00:00Z\",\"lastUnhealthyReason\":\"\""),
            std::string::npos);
  health = {};
  EXPECT_NE(json(inventory::kStart + std::chrono::milliseconds(1999))
                .find("\"healthy\":true,\"reason\":\"\",\"since\":\"1970-01-02T01:00:01Z\","
                      "\"lastUnhealthyReason\":\"no answer\""),
            std::string::npos);
  const ResolutionLayout look{.since = [](const std::string& utc) {
    return age({{"at", "1970-01-01T02:30:00Z"}}, utc);
  }};
  EXPECT_EQ(table_of(inventory, look),
            "RESOURCE  UNIT  STATE    SINCE  DEVICE  ID FROM  REASON\n"
            "a.io/tty  a     healthy  1h     /dev/a  id       was: no answer\n");
  EXPECT_EQ(table_of(inventory),
            "RESOURCE  UNIT  STATE    DEVICE  ID FROM  REASON\n"
            "a.io/tty  a     healthy  /dev/a  id       was: no answer\n");
}

TEST(ResolutionView, WideShowsSysfsPathsInsteadOfDeviceNodes) {
  inventory::Inventory inventory(
      inventory::plan_of("  - {name: a.io/tty, match: {subsystem: tty}, id: $(name)}\n"
                         "  - {name: a.io/late, match: {subsystem: tty}, id: $(name)}\n"));
  inventory.apply(inventory::shared(inventory::serial("a", "")));
  inventory.resolve(inventory::kStart);
  ASSERT_EQ(inventory::all_refusals(inventory.last()).size(), 1U);
  EXPECT_EQ(table_of(inventory),
            "RESOURCE   UNIT  STATE    DEVICE  ID FROM  REASON\n"
            "a.io/tty   a     healthy  /dev/a  id\n"
            "a.io/late  -     all claimed\n"
            "\n"
            "NOT OFFERED BY  KIND     UNIT  DEVICE  REASON\n"
            "a.io/late       claimed  a     /dev/a  claimed by a.io/tty\n");
  EXPECT_EQ(table_of(inventory, {.wide = true}),
            "RESOURCE   UNIT  STATE    DEVICE              ID FROM  REASON\n"
            "a.io/tty   a     healthy  /sys/devices/usb/a  id\n"
            "a.io/late  -     all claimed\n"
            "\n"
            "NOT OFFERED BY  KIND     UNIT  DEVICE              REASON\n"
            "a.io/late       claimed  a     /sys/devices/usb/a  claimed by a.io/tty\n");
}

TEST(ResolutionView, WrapsWarning) {
  inventory::Inventory inventory(
      inventory::plan_of("  - {name: a.io/tty, match: {subsystem: tty}, envs: {A: $(name)}}\n"));
  auto facts = inventory::serial("a", "");
  fake::drop(facts, Fact::usb);
  inventory.apply(inventory::shared(facts));
  inventory.resolve(inventory::kStart);
  const std::string text = table_of(inventory, {.table = {.width = 40}});
  EXPECT_NE(text.find("\nwarning: a.io/tty: 1 unit has an id from\n"
                      "  the kernel's name, which depends on\n"
                      "  the order of detection: give the group\n"
                      "  an id\n"),
            std::string::npos)
      << text;
}

TEST(ResolutionView, ShowsReportedNumaNodes) {
  inventory::Inventory inventory(
      inventory::plan_of("  - {name: a.io/tty, match: {subsystem: tty}, id: $(name)}\n"
                         "  - {name: a.io/flat, match: {subsystem: net}, id: $(name)}\n"));
  inventory.set_online_nodes({0, 1});
  const auto see = [&](const std::string& name, const std::string& subsystem,
                       const std::string& node) {
    DeviceFacts facts = inventory::serial(name, "");
    facts.subsystem = subsystem;
    fake::set(facts, Fact::numa_node, {node});
    inventory.apply(inventory::shared(facts));
  };
  see("a", "tty", "0");
  see("b", "tty", "1");
  // All units of a resource show NUMA nodes, or none does.
  see("x", "net", "1");
  see("y", "net", "");
  inventory.resolve(inventory::kStart);
  EXPECT_EQ(table_of(inventory),
            "RESOURCE   UNIT  STATE    NUMA  DEVICE  ID FROM  REASON\n"
            "a.io/tty   a     healthy  0     /dev/a  id\n"
            "a.io/tty   b     healthy  1     /dev/b  id\n"
            "a.io/flat  x     healthy        /dev/x  id\n"
            "a.io/flat  y     healthy        /dev/y  id\n");
  const std::string json = json_of(inventory);
  EXPECT_NE(
      json.find("\"numaNodes\":[1],\"members\":[{\"role\":\"\",\"key\":\"/sys/devices/usb/b\""),
      std::string::npos)
      << json;
  EXPECT_NE(
      json.find("\"numaNodes\":[],\"members\":[{\"role\":\"\",\"key\":\"/sys/devices/usb/x\""),
      std::string::npos)
      << json;
}

TEST(ResolutionView, EscapesDeviceStrings) {
  inventory::Inventory inventory(inventory::plan_of(
      "  - {name: a.io/tty, match: {subsystem: tty}, id: $(name), devices: []}\n"
      "  - {name: a.io/late, match: {subsystem: tty}, id: $(name), devices: []}\n"));
  // The names contain control sequences of a terminal: ESC, the same as one character of C1, and a
  // mark that reverses text.
  const auto see = [&](const std::string& name, const std::string& devnode) {
    DeviceFacts facts = inventory::serial(name.substr(0, 1), "");
    facts.key = "/sys/" + name;
    facts.devnode = devnode;
    inventory.apply(inventory::shared(facts));
  };
  see("a\x1b[2J", "");
  see("b\xc2\x9b"
      "2J",
      "");
  see("c\xe2\x80\xae", "");
  see("d\xff", "");
  inventory.resolve(inventory::kStart);
  EXPECT_EQ(table_of(inventory),
            "RESOURCE   UNIT  STATE    DEVICE          ID FROM  REASON\n"
            "a.io/tty   a     healthy  /sys/a\\x1b[2J   id\n"
            "a.io/tty   b     healthy  /sys/b\\u009b2J  id\n"
            "a.io/tty   c     healthy  /sys/c\\u202e    id\n"
            "a.io/tty   d     healthy  /sys/d\\xff      id\n"
            "a.io/late  -     all claimed\n"
            "\n"
            "NOT OFFERED BY  KIND     UNIT  DEVICE          REASON\n"
            "a.io/late       claimed  a     /sys/a\\x1b[2J   claimed by a.io/tty\n"
            "a.io/late       claimed  b     /sys/b\\u009b2J  claimed by a.io/tty\n"
            "a.io/late       claimed  c     /sys/c\\u202e    claimed by a.io/tty\n"
            "a.io/late       claimed  d     /sys/d\\xff      claimed by a.io/tty\n");
  const std::string json =
      json_text(resolution_json(*inventory.plan(), inventory.last(), {}, {}), 2);
  EXPECT_NE(json.find("\"key\": \"/sys/a\\u001b[2J\""), std::string::npos) << json;
  EXPECT_NE(json.find("\"key\": \"/sys/d\\ufffd\""), std::string::npos) << json;
}

}  // namespace
}  // namespace patchbay::cli
