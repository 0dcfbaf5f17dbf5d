#include "inventory/held_devices.h"

#include "inventory/inventory_fixture.h"

namespace patchbay::inventory {
namespace {

/// Why the units of the last resource are unhealthy while these devices are allocated to a Pod as
/// the unit `held`.
Strings reasons(Inventory& inventory, const UnitName& held,
                const std::vector<std::string>& devices) {
  const auto& offered = inventory.offer();
  Healths healths(offered.size());
  withhold(*inventory.plan(), offered, {{.name = held, .devices = devices, .holder = "Pod lab/p"}},
           healths);
  Strings all;
  for (const Health& health : healths.back()) all.push_back(health.reason);
  return all;
}

DeviceFacts card(const std::string& name, uint32_t minor) {
  DeviceFacts facts = video(name);
  facts.number = DeviceNumber{.block = false, .major = 81, .minor = minor};
  return facts;
}

TEST(HeldDevices, UnitWithAllocatedDeviceIsWithheld) {
  Inventory inventory(plan_of("  - {name: a.io/x, match: {static: [a, b]}}\n"));
  for (const char* name : {"a", "b"}) inventory.apply(shared(named(name)));
  const std::string reason = "allocated to Pod lab/p as 'z' of a.io/old";
  EXPECT_EQ(reasons(inventory, {"a.io/old", "z"}, {"static:b"}), (Strings{"", reason}));
  EXPECT_EQ(reasons(inventory, {"a.io/old", "z"}, {"static:c"}), Strings{});
  EXPECT_EQ(reasons(inventory, {"a.io/x", "b"}, {"static:b"}), Strings{}) << "its own name";
}

TEST(HeldDevices, AllocatedUnitIsWithheldIfItLosesIds) {
  Inventory inventory(plan_of("  - {name: a.io/x, match: {static: [a]}, share: {count: 2}}\n"));
  inventory.apply(shared(named("a")));
  const auto is_withheld = [&](size_t shares) {
    Healths healths(1);
    const HeldUnit held{
        .name = {"a.io/x", "a"}, .shares = shares, .devices = {"static:a"}, .holder = "a Pod"};
    return !withhold(*inventory.plan(), inventory.offer(), {held}, healths).empty();
  };
  EXPECT_TRUE(is_withheld(0));
  EXPECT_FALSE(is_withheld(1));
  EXPECT_FALSE(is_withheld(2));
  EXPECT_TRUE(is_withheld(3));
}

TEST(HeldDevices, PathOfAllocatedNodeIsWithheld) {
  Inventory inventory(plan_of("  - {name: a.io/x, match: {glob: /dev/v/*}, id: $(name)}\n"));
  DeviceFacts path = found("/dev/v/*", "/dev/v/front", PathType::character_device);
  path.number = card("video0", 3).number;
  inventory.apply(shared(path));
  EXPECT_EQ(reasons(inventory, {"a.io/old", "z"}, {card("video0", 3).key, "char 81:3"}),
            Strings{"allocated to Pod lab/p as 'z' of a.io/old"});
  EXPECT_EQ(reasons(inventory, {"a.io/old", "z"}, {"block 81:3"}), Strings{});
}

TEST(HeldDevices, AllocatedMemberIsWithheldUnlessItsClaimIsShared) {
  Inventory inventory(
      plan_of("  - name: a.io/x\n    match: {subsystem: video4linux}\n    by: $(usb.socket)\n"
              "    members:\n"
              "      sound: {match: {subsystem: sound}}\n"
              "      clock: {match: {subsystem: ptp}, claim: shared}\n"));
  for (const DeviceFacts& facts : {card("video0", 3), sound("pcm0"), usb_child("ptp", "p0", "1")}) {
    inventory.apply(shared(facts));
  }
  const auto& unit = *inventory.offer().at(0)->at(0);
  EXPECT_EQ(exclusive_devices(*inventory.plan()->resources[0], *unit.members),
            (Strings{card("video0", 3).key, "char 81:3", sound("pcm0").key}));
  EXPECT_EQ(reasons(inventory, {"a.io/old", "z"}, {sound("pcm0").key}),
            Strings{"allocated to Pod lab/p as 'z' of a.io/old"});
  EXPECT_EQ(reasons(inventory, {"a.io/old", "z"}, {usb_child("ptp", "p0", "1").key}), Strings{});
}

TEST(HeldDevices, ReasonOfWithheldUnitEndsWithItsFault) {
  Inventory inventory(plan_of("  - {name: a.io/x, match: {static: [a]}}\n"));
  inventory.apply(shared(named("a")));
  Healths healths{{{.healthy = false, .reason = "too hot"}}};
  const auto names =
      withhold(*inventory.plan(), inventory.offer(),
               {{.name = {"a.io/y", "a"}, .devices = {"static:a"}, .holder = "a Pod"}}, healths);
  EXPECT_EQ(names, (std::vector<UnitName>{{"a.io/x", "a"}}));
  EXPECT_EQ(healths.at(0).at(0).reason, "allocated to a Pod as 'a' of a.io/y; too hot");
}

}  // namespace
}  // namespace patchbay::inventory
