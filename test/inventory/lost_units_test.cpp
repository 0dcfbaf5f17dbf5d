#include "fake/facts.h"
#include "inventory/inventory_fixture.h"

namespace patchbay::inventory {
namespace {

const std::string kLingeringSerials =
    "  - name: a.io/serial\n    linger: 5m\n    match: {subsystem: tty, property: {SERIAL: "
    "\"*\"}}\n"
    "    id: $(property.SERIAL)\n"
    "    devices: [$(link.by-id)]\n";

class LostUnits : public testing::Test {
 protected:
  LostUnits() : inventory(plan_of(kLingeringSerials)) {
    inventory.apply(shared(serial("ttyUSB0", "A")));
    inventory.apply(shared(serial("ttyUSB1", "B")));
    inventory.resolve(kStart);
  }
  static std::string key(const std::string& name) { return "/sys/devices/usb/" + name; }

  Inventory inventory;
};

TEST_F(LostUnits, LingerUnhealthyThenAreDropped) {
  inventory.remove(key("ttyUSB0"));
  const auto lost_at = kStart + seconds(10);
  EXPECT_EQ(units(inventory.resolve(lost_at)), (Strings{"A: the device is gone", "B"}));
  EXPECT_EQ(inventory.last().next_change, lost_at + minutes(5));
  // Later events do not extend the linger time.
  inventory.apply(shared(serial("ttyUSB2", "C")));
  EXPECT_EQ(units(inventory.resolve(lost_at + minutes(4))),
            (Strings{"A: the device is gone", "B", "C"}));
  EXPECT_EQ(inventory.last().next_change, lost_at + minutes(5));
  const auto before = inventory.last().resources.at(0).snapshot;
  EXPECT_EQ(inventory.resolve(lost_at + minutes(5) - seconds(1)).resources.at(0).snapshot, before);
  EXPECT_EQ(units(inventory.resolve(lost_at + minutes(5))), (Strings{"B", "C"}));
  EXPECT_FALSE(inventory.last().next_change);
}

TEST_F(LostUnits, ReportNextChangeTime) {
  inventory.remove(key("ttyUSB0"));
  inventory.resolve(kStart);
  inventory.remove(key("ttyUSB1"));
  inventory.resolve(kStart + minutes(1));
  EXPECT_EQ(inventory.last().next_change, kStart + minutes(5));
  EXPECT_EQ(units(inventory.resolve(kStart + minutes(5))), Strings{"B: the device is gone"});
  EXPECT_EQ(inventory.last().next_change, kStart + minutes(6));
}

TEST_F(LostUnits, RecoverImmediately) {
  inventory.remove(key("ttyUSB0"));
  inventory.resolve(kStart);
  inventory.apply(shared(serial("ttyUSB7", "A")));  // The same adapter with a new kernel name.
  EXPECT_EQ(units(inventory.resolve(kStart + seconds(1))), (Strings{"A", "B"}));
  EXPECT_FALSE(inventory.last().next_change);
  EXPECT_EQ(
      inventory.last().resources.at(0).snapshot->find("A")->members->devices.at(0).facts->name,
      "ttyUSB7");
  inventory.remove(key("ttyUSB7"));
  inventory.resolve(kStart + minutes(4));
  EXPECT_EQ(inventory.last().next_change, kStart + minutes(9));
}

TEST_F(LostUnits, ReasonStatesWhyUnitOfExistingDeviceIsLost) {
  DeviceFacts linkless = serial("ttyUSB0", "A");
  fake::drop(linkless, Fact::link);
  inventory.apply(shared(linkless));
  EXPECT_EQ(
      units(inventory.resolve(kStart)),
      (Strings{"A: '$(link.by-id)' needs $(link.by-id), which the device does not have", "B"}));
  inventory.apply(shared(serial("ttyUSB0", "")));  // It exists, but no longer matches.
  EXPECT_EQ(units(inventory.resolve(kStart)), (Strings{"A: the device no longer matches", "B"}));
  EXPECT_TRUE(inventory.remove(key("ttyUSB0")));
  EXPECT_EQ(units(inventory.resolve(kStart)), (Strings{"A: the device is gone", "B"}));
  EXPECT_EQ(inventory.last().next_change, kStart + minutes(5));
}

TEST_F(LostUnits, ReasonStatesThatDeviceBelongsToAnotherUnit) {
  inventory.apply(shared(serial("ttyUSB0", "C")));
  EXPECT_EQ(units(inventory.resolve(kStart)),
            (Strings{"A: the device belongs to another unit now", "B", "C"}));
}

TEST(LostUnitsOfTwoResources, AreDroppedIfOtherResourceOffersDevice) {
  Inventory inventory(
      plan_of("  - {name: a.io/a, match: {subsystem: tty, tag: a}, id: $(name)}\n"
              "  - {name: a.io/b, match: {subsystem: tty}, id: $(name)}\n"));
  DeviceFacts facts = serial("ttyUSB0", "");
  fake::set(facts, Fact::tag, {"a"});
  inventory.apply(shared(facts));
  EXPECT_EQ(units(inventory.resolve(kStart), 0), Strings{"ttyUSB0"});
  fake::drop(facts, Fact::tag);
  inventory.apply(shared(facts));
  EXPECT_TRUE(units(inventory.resolve(kStart), 0).empty());
  EXPECT_EQ(units(inventory.last(), 1), Strings{"ttyUSB0"});
}

TEST(LostUnitsOfTwoResources, WithoutLingerAreDroppedImmediately) {
  Inventory inventory(
      plan_of("  - {name: a.io/a, linger: 0s, match: {subsystem: tty}, id: $(name)}\n"));
  inventory.apply(shared(serial("ttyUSB0", "")));
  inventory.resolve(kStart);
  inventory.remove("/sys/devices/usb/ttyUSB0");
  EXPECT_TRUE(units(inventory.resolve(kStart)).empty());
  EXPECT_FALSE(inventory.last().next_change);
}

/// If the list exceeded the kubelet's limit, the kubelet would lose all units.
TEST(LostUnitsOfLongList, AreListedOnlyIfTheyFit) {
  const auto card = [](const std::string& name) { return usb_child("drm", name, name); };
  static_assert(kMaxUnits == 4 * size_t{8738} + 8738);
  Inventory inventory(
      plan_of("  - {name: a.io/gpu, match: {subsystem: drm}, id: $(name),\n"
              "     share: {count: 8738}}\n"));
  for (const std::string name : {"card0", "card1", "card2", "card3", "card4"}) {
    inventory.apply(shared(card(name)));
  }
  inventory.resolve(kStart);
  inventory.remove(card("card0").key);
  EXPECT_EQ(units(inventory.resolve(kStart)),
            (Strings{"card0: the device is gone", "card1", "card2", "card3", "card4"}));
  inventory.apply(shared(card("card5")));
  EXPECT_EQ(units(inventory.resolve(kStart)),
            (Strings{"card1", "card2", "card3", "card4", "card5"}));
  // The inventory still remembers card0, and lists it when there is room.
  inventory.remove(card("card5").key);
  inventory.remove(card("card4").key);
  EXPECT_EQ(units(inventory.resolve(kStart)),
            (Strings{"card0: the device is gone", "card1", "card2", "card3",
                     "card4: the device is gone"}));
}

TEST_F(LostUnits, SurviveReload) {
  inventory.remove(key("ttyUSB0"));
  inventory.resolve(kStart);
  Inventory next(
      plan_of("  - {name: a.io/new, match: {subsystem: net}, id: $(name)}\n" + kLingeringSerials));
  next.inherit(inventory);
  EXPECT_EQ(units(next.resolve(kStart + minutes(1)), 1),
            (Strings{"A: the device is gone", "B: the device is gone"}));
  EXPECT_EQ(next.last().next_change, kStart + minutes(5));
  next.apply(shared(serial("ttyUSB1", "B")));
  EXPECT_EQ(units(next.resolve(kStart + minutes(5)), 1), Strings{"B"});
}

}  // namespace
}  // namespace patchbay::inventory
