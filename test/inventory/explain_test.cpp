#include "inventory/explain.h"

#include <gmock/gmock.h>

#include "inventory/inventory_fixture.h"

namespace patchbay::inventory {
namespace {

using testing::ElementsAre;

std::string word(RuleExplanation::Kind kind) {
  switch (kind) {
    case RuleExplanation::Kind::out_of_scope:
      return "out of scope";
    case RuleExplanation::Kind::does_not_match:
      return "does not match";
    case RuleExplanation::Kind::unit:
      return "unit";
    case RuleExplanation::Kind::refused:
      return "refused";
    case RuleExplanation::Kind::incomplete:
      return "incomplete";
    case RuleExplanation::Kind::claimed:
      return "claimed";
    case RuleExplanation::Kind::orphaned_member:
      return "unused member";
  }
  return "";
}

/// Explains devices that were applied to the inventory.
class ExplainTest : public testing::Test {
 protected:
  void plan(const std::string& resources) { inventory_.emplace(plan_of(resources)); }

  DeviceFactsPtr see(const DeviceFacts& facts) {
    auto seen = shared(facts);
    inventory_->apply(seen);
    return seen;
  }

  /// Each result as "resource.group.role kind [id]: reason".
  Strings explained(const std::vector<DeviceFactsPtr>& forms) {
    const Resolution& resolution = inventory_->resolve(kStart);
    Strings out;
    for (const RuleExplanation& verdict :
         explain(*inventory_->plan(), inventory_->devices(), resolution, forms)) {
      const rules::Rule& rule = verdict.rule;
      out.push_back(std::to_string(rule.resource) + "." + std::to_string(rule.group) + "." +
                    std::to_string(rule.role) + " " + word(verdict.kind) + " [" + verdict.id +
                    "]: " + verdict.reason + rules::summary(verdict.mismatches));
    }
    return out;
  }

  std::optional<Inventory> inventory_;
};

TEST_F(ExplainTest, ExplainsUnitsAndMismatches) {
  plan(
      "  - {name: a.io/tty, match: {subsystem: tty, name: \"tty*\"}, id: $(name)}\n"
      "  - {name: a.io/other, match: {subsystem: tty, name: x, devnode: /dev/y}}\n"
      "  - {name: a.io/net, match: {subsystem: net, name: x}}\n");
  const auto device = see(serial("ttyUSB0", ""));
  EXPECT_THAT(explained({device}),
              ElementsAre("0.0.0 unit [ttyUSB0]: ",
                          "1.0.0 does not match []: name is \"ttyUSB0\", devnode is "
                          "\"/dev/ttyUSB0\"",
                          "2.0.0 out of scope []: subsystem is \"tty\""));
}

TEST_F(ExplainTest, StatesIdSource) {
  plan("  - {name: a.io/tty, match: {subsystem: tty}}\n");
  const auto device = see(serial("ttyUSB0", ""));
  const Resolution& resolution = inventory_->resolve(kStart);
  const auto verdicts = explain(*inventory_->plan(), inventory_->devices(), resolution, {{device}});
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_EQ(verdicts.front().id_source, rules::IdSource::kernel_name);
}

TEST_F(ExplainTest, NamesClaimingResource) {
  plan(
      "  - {name: a.io/first, match: {subsystem: tty}, id: $(name)}\n"
      "  - {name: a.io/second, match: {subsystem: tty}, id: $(name)}\n"
      "  - name: a.io/third\n"
      "    claim: shared\n"
      "    groups:\n"
      "      - {match: {subsystem: tty}}\n"
      "      - {match: {subsystem: tty, name: \"tty*\"}}\n");
  const auto device = see(serial("ttyUSB0", ""));
  EXPECT_THAT(
      explained({device}),
      ElementsAre("0.0.0 unit [ttyUSB0]: ", "1.0.0 claimed [ttyUSB0]: claimed by a.io/first",
                  "2.0.0 unit [ttyUSB0]: ",
                  "2.1.0 claimed []: claimed by an earlier group of the resource"));
}

TEST_F(ExplainTest, ExplainsRefusals) {
  plan(
      "  - {name: a.io/tty, match: {subsystem: tty}, id: same}\n"
      "  - {name: a.io/serial, claim: shared, match: {subsystem: tty}, id: $(property.SERIAL)}\n");
  const auto device = see(serial("ttyUSB0", ""));
  see(serial("ttyUSB1", "7"));
  EXPECT_THAT(
      explained({device}),
      ElementsAre("0.0.0 refused [same]: the id 'same' is also the id of /sys/devices/usb/ttyUSB1",
                  testing::HasSubstr("1.0.0 refused []: '$(property.SERIAL)' needs")));
}

constexpr const char* kPairs = R"yaml(  - name: a.io/pair
    match: {subsystem: tty, name: "a*"}
    by: $(property.SERIAL)
    members:
      other: {match: {subsystem: tty, name: "b*"}}
)yaml";

TEST_F(ExplainTest, ExplainsMembers) {
  plan(kPairs);
  const auto first = see(serial("a1", "7"));
  const auto second = see(serial("b1", "7"));
  EXPECT_THAT(explained({first}),
              ElementsAre("0.0.0 unit [7]: ", "0.0.1 does not match []: name is \"a1\""));
  EXPECT_THAT(explained({second}),
              ElementsAre("0.0.0 does not match []: name is \"b1\"", "0.0.1 unit [7]: "));
}

TEST_F(ExplainTest, SharedMemberDoesNotCountAsClaim) {
  plan(
      "  - name: a.io/port\n"
      "    match: {subsystem: tty, name: \"a*\"}\n"
      "    by: $(property.SERIAL)\n"
      "    members: {clock: {match: {subsystem: tty, name: \"b*\"}, claim: shared}}\n"
      "  - {name: a.io/other, match: {subsystem: tty, name: \"b*\"}, by: $(property.X), size: 2}\n"
      "  - {name: a.io/clock, match: {subsystem: tty, name: \"b*\"}, id: $(name)}\n");
  see(serial("a1", "7"));
  const auto clock = see(serial("b1", "7"));
  EXPECT_THAT(explained({clock}),
              ElementsAre("0.0.0 does not match []: name is \"b1\"", "0.0.1 unit [7]: ",
                          testing::StartsWith("1.0.0 refused []: '$(property.X)' needs"),
                          "2.0.0 claimed [b1]: claimed by a.io/other"));
}

TEST_F(ExplainTest, SharedMemberOfUnitIsStillUnusedInExclusiveGroup) {
  plan(
      "  - name: a.io/port\n"
      "    match: {subsystem: tty, name: \"a*\"}\n"
      "    by: $(property.SERIAL)\n"
      "    members: {clock: {match: {subsystem: tty, name: \"b*\"}, claim: shared}}\n"
      "  - name: a.io/pair\n"
      "    match: {subsystem: tty, name: \"c*\"}\n"
      "    by: $(property.SERIAL)\n"
      "    members: {other: {match: {subsystem: tty, name: \"b*\"}}}\n");
  see(serial("a1", "7"));
  const auto clock = see(serial("b1", "7"));
  EXPECT_THAT(explained({clock}).back(),
              "1.0.1 unused member []: $(property.SERIAL) is \"7\", but no device of the group has "
              "the same value");
}

TEST_F(ExplainTest, DevicesWithOneNumberAreOneDevice) {
  DeviceFacts first = serial("a1", "7");
  DeviceFacts second = serial("b2", "8");
  first.number = second.number = DeviceNumber{false, 188, 1};
  plan(kPairs);
  see(first);
  EXPECT_THAT(explained({see(second)}).back(),
              "0.0.1 claimed []: the same device node as /sys/devices/usb/a1, which the group "
              "already has");
  second.number = DeviceNumber{false, 188, 2};
  plan(kPairs);
  see(first);
  EXPECT_THAT(explained({see(second)}).back(), testing::StartsWith("0.0.1 unused member []: "));
}

TEST_F(ExplainTest, ExplainsIncompleteUnits) {
  plan(kPairs);
  const auto first = see(serial("a1", "7"));
  const auto second = see(serial("b2", "8"));
  const auto third = see(serial("b3", ""));
  EXPECT_THAT(explained({first}).front(),
              "0.0.0 incomplete []: incomplete: needs 1 'other', has none (/sys/devices/usb/b3 "
              "matches, but '$(property.SERIAL)' needs $(property.SERIAL), which the device does "
              "not have)");
  EXPECT_THAT(explained({second}).back(),
              "0.0.1 unused member []: $(property.SERIAL) is \"8\", but no device of the group has "
              "the same value");
  EXPECT_THAT(explained({third}).back(),
              testing::HasSubstr("0.0.1 refused []: '$(property.SERIAL)' needs"));
}

TEST_F(ExplainTest, ExplainsDeviceAndItsPaths) {
  plan(
      "  - {name: a.io/path, match: {glob: \"/dev/tty*\"}}\n"
      "  - {name: a.io/tty, match: {subsystem: tty}}\n"
      "  - {name: a.io/none, match: {glob: \"/dev/x*\"}}\n"
      "  - {name: a.io/static, match: {static: [scope]}}\n");
  DeviceFacts device = serial("ttyUSB0", "");
  DeviceFacts path = found("/dev/tty*", "/dev/ttyUSB0", PathType::character_device);
  DeviceFacts link = found("/dev/tty*", "/dev/tty-link", PathType::character_device);
  device.number = path.number = link.number = DeviceNumber{false, 188, 0};
  const std::vector<DeviceFactsPtr> forms{see(device), see(path), see(link)};
  EXPECT_THAT(
      explained(forms),
      ElementsAre(
          "0.0.0 claimed [ttyUSB0]: the same device node as /dev/tty-link, claimed by "
          "a.io/path",
          "0.0.0 unit [tty-link]: ",
          "1.0.0 claimed [ttyUSB0]: the same device node as /dev/tty-link, claimed by "
          "a.io/path",
          "2.0.0 out of scope []: /dev/ttyUSB0 is not found by this rule",
          "3.0.0 out of scope []: the rule selects static names, but this is a kernel device"));
}

TEST_F(ExplainTest, ExplainsDeviceAddedAfterScan) {
  plan("  - {name: a.io/tty, match: {subsystem: tty}}\n");
  EXPECT_THAT(
      explained({shared(serial("ttyUSB0", ""))}),
      ElementsAre(
          "0.0.0 refused []: it matches now, but not at the last scan: run the command again"));
}

}  // namespace
}  // namespace patchbay::inventory
