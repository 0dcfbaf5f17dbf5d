#include "inventory/unresponsive_paths.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "inventory/inventory_fixture.h"
#include "inventory/unresponsive_paths.h"

namespace patchbay::inventory {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Each path as "resource: path". A "?" follows if it is slow, so that the list waits for it.
Strings shown(const rules::Plan& plan, const std::vector<Unresponsive>& sources) {
  Strings out;
  const auto unresponsive = unresponsive_of(plan, sources);
  for (size_t resource = 0; resource < unresponsive.size(); ++resource) {
    for (const UnresponsivePath& one : unresponsive[resource]) {
      out.push_back(plan.resources[resource]->name + ": " + one.what + (one.slow ? "?" : ""));
    }
  }
  return out;
}

class UnresponsivePathsTest : public testing::Test {
 protected:
  const rules::PlanPtr plan = plan_of(
      "  - {name: a.io/usb, match: {subsystem: tty, name: \"ttyUSB*\"}, id: $(name)}\n"
      "  - {name: a.io/acm, match: {subsystem: tty, name: \"ttyACM*\"}, id: $(name)}\n"
      "  - {name: a.io/nfs, match: {glob: \"/mnt/*\"}, id: $(name)}\n"
      "  - {name: a.io/both, match: {glob: [\"/mnt/*\", \"/srv/*\"]}, id: $(name)}\n");
};

TEST_F(UnresponsivePathsTest, UnresponsivePatternAffectsItsRules) {
  EXPECT_THAT(shown(*plan, {{.what = "/mnt", .patterns = {"/mnt/*"}, .slow = true}}),
              ElementsAre("a.io/nfs: /mnt?", "a.io/both: /mnt?"));
  EXPECT_THAT(shown(*plan, {{.what = "/srv", .patterns = {"/srv/*"}}}),
              ElementsAre("a.io/both: /srv"));
  EXPECT_THAT(shown(*plan, {{.what = "/opt", .patterns = {"/opt/*"}}}), IsEmpty());
}

TEST_F(UnresponsivePathsTest, DeviceAffectsRulesThatMayMatchIt) {
  const DeviceFactsPtr usb = shared(serial("ttyUSB0", ""));
  EXPECT_THAT(shown(*plan, {{.what = "attribute", .key = usb->key, .facts = usb}}),
              ElementsAre("a.io/usb: attribute"));
}

TEST_F(UnresponsivePathsTest, UnknownDeviceAffectsAllSubsystemRules) {
  EXPECT_THAT(shown(*plan, {{.what = "/mnt/a", .patterns = {"/mnt/*"}, .key = "/mnt/a"}}),
              ElementsAre("a.io/nfs: /mnt/a", "a.io/both: /mnt/a"));
  EXPECT_THAT(shown(*plan, {{.what = "/sys/devices/x", .key = "/sys/devices/x"}}),
              ElementsAre("a.io/usb: /sys/devices/x", "a.io/acm: /sys/devices/x"));
}

TEST_F(UnresponsivePathsTest, InventoryReportsResourcesWithSlowPaths) {
  Inventory inventory(plan);
  EXPECT_TRUE(inventory.set_unresponsive({{.what = "/srv", .patterns = {"/srv/*"}, .slow = true}}));
  EXPECT_TRUE(inventory.has_slow_path());
  EXPECT_FALSE(
      inventory.set_unresponsive({{.what = "/srv", .patterns = {"/srv/*"}, .slow = true}}));
  const Resolution& resolution = inventory.resolve(kStart);
  EXPECT_FALSE(resolution.resources[2].has_slow_path());
  EXPECT_TRUE(resolution.resources[3].has_slow_path());
  EXPECT_TRUE(inventory.set_unresponsive({}));
  EXPECT_FALSE(inventory.has_slow_path());
}

TEST_F(UnresponsivePathsTest, SnapshotIsIncompleteWhilePathIsUnresponsive) {
  Inventory inventory(plan);
  const SnapshotPtr before = inventory.resolve(kStart).resources[3].snapshot;
  EXPECT_TRUE(before->complete);
  inventory.set_unresponsive({{.what = "/srv", .patterns = {"/srv/*"}}});
  const SnapshotPtr lacking = inventory.resolve(kStart).resources[3].snapshot;
  EXPECT_FALSE(lacking->complete);
  EXPECT_TRUE(inventory.resolve(kStart).resources[2].snapshot->complete);
  EXPECT_EQ(inventory.resolve(kStart).resources[3].snapshot, lacking) << "the same as before";
  inventory.set_unresponsive({});
  EXPECT_TRUE(inventory.resolve(kStart).resources[3].snapshot->complete);
}

TEST_F(UnresponsivePathsTest, KeepsLastKnownStateWhileUnresponsive) {
  Inventory before(plan);
  for (const char* name : {"ttyUSB0", "ttyUSB1"}) before.apply(shared(serial(name, "")));
  before.resolve(kStart);
  Inventory now(plan, &before);
  const DeviceFactsPtr silent = shared(serial("ttyUSB1", ""));
  now.set_unresponsive({{.what = "attribute", .key = silent->key, .facts = silent}});
  EXPECT_THAT(now.keep_unresponsive(), ElementsAre(silent->key));
  EXPECT_TRUE(now.devices().contains(silent->key));
  EXPECT_EQ(now.devices().size(), 1U) << "the other has gone";
  EXPECT_THAT(now.keep_unresponsive(), IsEmpty()) << "known by now";
}

/// The previous plan did not need the file. So its content is unknown, which is not the same as
/// absent.
TEST(InheritedUnresponsiveTest, RuleWithUnreadFileDoesNotMatchKeptDevice) {
  const auto before_plan = plan_of("  - {name: a.io/tty, match: {subsystem: tty}, id: $(name)}\n");
  Inventory before(before_plan);
  EXPECT_TRUE(before.apply(shared(serial("ttyUSB0", ""))));
  static_cast<void>(before.resolve(kStart));
  const auto plan = plan_of(
      "  - {name: a.io/tty, match: {subsystem: tty}, claim: shared, id: $(name)}\n"
      "  - {name: a.io/new, match: {subsystem: tty, file: {/mnt/wanted: {exists: false}}}, claim: "
      "shared, id: $(name)}\n");
  Inventory now(plan, &before);
  const DeviceFactsPtr hung = shared(serial("ttyUSB0", ""));
  now.set_unresponsive({{.what = "/mnt/wanted", .key = hung->key, .facts = hung}});
  EXPECT_THAT(now.keep_unresponsive(), ElementsAre(hung->key));
  const auto& resources = now.resolve(kStart).resources;
  EXPECT_EQ(resources[0].snapshot->units.size(), 1U);
  EXPECT_EQ(resources[1].snapshot->units.size(), 0U);
}

/// For a plan in which a rule of a later resource compares a file.
class UnreadTest : public testing::Test {
 protected:
  static constexpr const char* kFile = "/mnt/wanted";

  /// The units of each resource as "RESOURCE: IDS".
  static Strings units(Inventory& inventory) {
    Strings out;
    for (const auto& resource : inventory.resolve(kStart).resources) {
      std::string line = resource.name() + ":";
      for (const Unit& unit : resource.snapshot->units) line += " " + unit.id;
      out.push_back(std::move(line));
    }
    return out;
  }
  static DeviceFactsPtr tty(bool read, const std::string& content = {}) {
    DeviceFacts facts = serial("ttyUSB0", "");
    if (!read) facts.unread = {{Fact::file, kFile}};
    if (!content.empty()) fake::set(facts, Fact::file, kFile, {content});
    return shared(std::move(facts));
  }

  const rules::PlanPtr plan = plan_of(
      "  - {name: a.io/all, match: {subsystem: tty}, claim: shared, id: $(name)}\n"
      "  - {name: a.io/file, match: {subsystem: tty, except: {file: {/mnt/wanted: x}}}, id: "
      "$(name)}\n"
      "  - {name: a.io/rest, match: {subsystem: tty}, id: $(name)}\n");
  Inventory inventory{plan};
};

TEST_F(UnreadTest, UnreadFileBlocksItsRulesAndLaterClaims) {
  const auto unread = tty(false);
  EXPECT_THAT(shown(*plan, {{.what = kFile, .key = unread->key, .facts = unread}}),
              ElementsAre("a.io/file: /mnt/wanted", "a.io/rest: /mnt/wanted"));
  EXPECT_TRUE(inventory.apply(unread));
  EXPECT_THAT(units(inventory), ElementsAre("a.io/all: ttyUSB0", "a.io/file:", "a.io/rest:"));
  EXPECT_TRUE(inventory.apply(tty(true, "x")));
  EXPECT_THAT(units(inventory),
              ElementsAre("a.io/all: ttyUSB0", "a.io/file:", "a.io/rest: ttyUSB0"));
}

TEST_F(UnreadTest, UnreadFilesBlockRulesThatCompareFiles) {
  DeviceFacts facts = serial("ttyUSB0", "");
  facts.unread = {{Fact::attribute, "power/control"}, {Fact::file, ""}};
  EXPECT_TRUE(inventory.apply(shared(std::move(facts))));
  EXPECT_THAT(units(inventory), ElementsAre("a.io/all: ttyUSB0", "a.io/file:", "a.io/rest:"));
}

/// Rules can compare facts in any order and several times.
TEST(FactsNotReadFor, AreThoseOfTheNewRulesOnly) {
  const auto attribute = [](const std::string& name) {
    return "  - {name: a.io/" + name + ", match: {subsystem: tty, attribute: {" + name +
           ": x}}, id: $(name)}\n";
  };
  const auto previous = plan_of(attribute("b") + attribute("a"));
  const auto plan = plan_of(attribute("c") + attribute("a") +
                            "  - {name: a.io/c2, match: {subsystem: tty, attribute: {c: y, b: x}},"
                            " id: $(name)}\n");
  const DeviceFacts facts = serial("ttyUSB0", "");
  EXPECT_THAT(facts_not_read_for(*previous, *plan, facts),
              ElementsAre(FactName{Fact::attribute, "c"}));
  EXPECT_THAT(facts_not_read_for(*plan, *previous, facts), testing::IsEmpty());
}

TEST_F(UnreadTest, UnreadFactKeepsKnownValue) {
  inventory.apply(tty(true, "y"));
  const Strings before = units(inventory);
  EXPECT_THAT(before, ElementsAre("a.io/all: ttyUSB0", "a.io/file: ttyUSB0", "a.io/rest:"));
  EXPECT_FALSE(inventory.apply(tty(false)));
  Inventory next(plan, &inventory);
  EXPECT_TRUE(next.apply(tty(false)));
  EXPECT_EQ(units(next), before);
}

}  // namespace
}  // namespace patchbay::inventory
