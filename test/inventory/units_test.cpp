#include <ostream>

#include "fake/facts.h"
#include "inventory/inventory_fixture.h"

namespace patchbay::inventory {
namespace {

/// A resource with capture cards: the video, sound and key devices at one USB port. Keys are
/// optional.
const std::string kCardsWithKeys =
    "  - name: a.io/card\n"
    "    match: {subsystem: video4linux}\n"
    "    by: $(usb.socket)\n"
    "    members:\n"
    "      sound: {match: {subsystem: sound}, size: 1}\n"
    "      keys: {match: {subsystem: hidraw}, size: 0-2}\n";

DeviceFacts keys(const std::string& name, const std::string& port) {
  return usb_child("hidraw", name, port);
}

class UnitsTest : public testing::Test {
 protected:
  void start(const std::string& resources) { inventory_.emplace(plan_of(resources)); }
  void add(const std::vector<DeviceFacts>& devices) {
    for (const DeviceFacts& facts : devices) inventory_->apply(shared(facts));
  }
  void remove(const DeviceFacts& facts) { inventory_->remove(facts.key); }
  const Resolution& resolve(Inventory::Time now = kStart) { return inventory_->resolve(now); }

  std::optional<Inventory> inventory_;
};

TEST_F(UnitsTest, DevicesWithEqualByFormOneUnit) {
  start(kCardsWithKeys);
  add({video("video0", "1-1"), video("video1", "1-2"), sound("pcm1", "1-2"), sound("pcm0", "1-1"),
       keys("hidraw0", "1-2"), keys("hidraw7", "1-9")});
  const Resolution& resolution = resolve();
  EXPECT_EQ(units(resolution), (Strings{"1-1", "1-2"}));
  EXPECT_EQ(refusals(resolution), Strings{});
  EXPECT_EQ(devices_of(resolution, "1-1"), (Strings{"video0", "pcm0"}));
  EXPECT_EQ(devices_of(resolution, "1-2"), (Strings{"video1", "hidraw0", "pcm1"}));
  EXPECT_EQ(resolution.resources.at(0).snapshot->find("1-2")->members->by, "1-2");
  EXPECT_EQ(resolution.resources.at(0).snapshot->find("1-2")->id_source, rules::IdSource::by);
}

TEST_F(UnitsTest, DefaultSizeAllowsOneOrMoreDevices) {
  start(
      "  - name: a.io/card\n"
      "    match: {subsystem: video4linux}\n"
      "    by: $(usb.socket)\n"
      "    members: {sound: {match: {subsystem: sound}}}\n");
  add({video("video0", "1-1"), video("video1", "1-1"), sound("pcm0", "1-1"), sound("pcm1", "1-1"),
       video("video2", "1-2")});
  EXPECT_EQ(units(resolve()), Strings{"1-1"});
  EXPECT_EQ(devices_of(resolve(), "1-1"), (Strings{"video0", "video1", "pcm0", "pcm1"}));
  EXPECT_EQ(refusals(resolve()),
            Strings{"0 /sys/devices/1-2/video2 []: incomplete: needs 1 'sound', has none"});
}

TEST_F(UnitsTest, IncompleteUnitNamesMembersWhoseByFails) {
  start(kCardsWithKeys);
  DeviceFacts stray = sound("pcm7", "1-1");
  fake::drop(stray, Fact::usb);
  DeviceFacts other = sound("pcm8", "1-1");
  fake::drop(other, Fact::usb);
  DeviceFacts optional = keys("hidraw0", "1-1");
  fake::drop(optional, Fact::usb);
  add({video("video0", "1-1"), video("video1", "1-2"), sound("pcm1", "1-2"), stray, optional});
  const std::string needs =
      "0 /sys/devices/1-1/video0 []: incomplete: needs 1 'sound', has none "
      "(/sys/devices/1-1/pcm7 matches, but '$(usb.socket)' needs $(usb.socket), which the device "
      "does not have";
  EXPECT_EQ(units(resolve()), Strings{"1-2"});
  EXPECT_EQ(refusals(resolve()), Strings{needs + ")"});
  add({other});
  EXPECT_EQ(refusals(resolve()), Strings{needs + "; likewise 1 more)"});
  remove(other);
  add({sound("pcm7", "1-1")});
  EXPECT_EQ(units(resolve()), (Strings{"1-1", "1-2"}));
  EXPECT_EQ(refusals(resolve()), Strings{});
}

TEST_F(UnitsTest, InjectNodesOfAllDevicesByDefault) {
  start(kCardsWithKeys);
  add({video("video1", "1-2"), sound("pcm1", "1-2"), keys("hidraw10", "1-2"),
       keys("hidraw9", "1-2")});
  // The nodes of matched devices come first, then those of members by the member's name.
  EXPECT_EQ(nodes_of(allocated(resolve(), {"1-2"})),
            (Strings{"/dev/video1", "/dev/hidraw9", "/dev/hidraw10", "/dev/pcm1"}));
}

TEST_F(UnitsTest, UnitsWithoutMembersInjectTheirNodes) {
  start("  - {name: a.io/x, match: {subsystem: tty}, by: $(usb.socket), size: 1+}\n");
  add({usb_child("tty", "ttyUSB10", "1-1"), usb_child("tty", "ttyUSB9", "1-1")});
  EXPECT_EQ(nodes_of(allocated(resolve(), {"1-1"})), (Strings{"/dev/ttyUSB9", "/dev/ttyUSB10"}));
}

TEST_F(UnitsTest, MembersAloneFormNoUnit) {
  start(kCardsWithKeys);
  add({sound("pcm0", "1-1"), keys("hidraw0", "1-1")});
  EXPECT_EQ(units(resolve()), Strings{});
  EXPECT_EQ(refusals(resolve()), Strings{});
}

TEST_F(UnitsTest, MemberMayHaveItsOwnBy) {
  start(
      "  - name: a.io/gpu\n"
      "    match: {subsystem: drm, name: {regex: 'renderD(?P<n>\\d+)'}}\n"
      "    by: gpu$(capture.n)\n"
      "    members:\n"
      "      control: {match: {subsystem: drm, name: {regex: 'control(?P<m>\\d+)'}},"
      " by: gpu$(capture.m)}\n"
      "      port: {match: {subsystem: i2c}, by: gpu$(property.GPU)}\n");
  DeviceFacts first = usb_child("i2c", "i2c-1", "x");
  fake::set(first, Fact::property, "GPU", {"128"});
  DeviceFacts second = usb_child("i2c", "i2c-0", "x");
  fake::set(second, Fact::property, "GPU", {"129"});
  add({usb_child("drm", "renderD128", "a"), usb_child("drm", "renderD129", "b"),
       usb_child("drm", "control128", ""), usb_child("drm", "control129", ""), first, second});
  EXPECT_EQ(units(resolve()), (Strings{"gpu128", "gpu129"}));
  EXPECT_EQ(devices_of(resolve(), "gpu128"), (Strings{"renderD128", "control128", "i2c-1"}));
  EXPECT_EQ(devices_of(resolve(), "gpu129"), (Strings{"renderD129", "control129", "i2c-0"}));
}

TEST_F(UnitsTest, DevicesWithConstantByFormOneUnit) {
  start("  - {name: a.io/x, match: {subsystem: tty}, by: all of them, size: 1+}\n");
  add({usb_child("tty", "ttyUSB10", "1-1"), usb_child("tty", "ttyUSB9", "1-2")});
  EXPECT_EQ(units(resolve()), Strings{"all_of_them"});
  EXPECT_EQ(devices_of(resolve(), "all_of_them"), (Strings{"ttyUSB10", "ttyUSB9"}));
}

TEST_F(UnitsTest, DeviceWhoseByFailsIsRefused) {
  start(kCardsWithKeys);
  DeviceFacts nowhere = video("video0", "1-1");
  fake::drop(nowhere, Fact::usb);
  DeviceFacts silent = sound("pcm9", "1-2");
  fake::drop(silent, Fact::usb);
  add({nowhere, sound("pcm0", "1-1"), video("video1", "1-2"), sound("pcm1", "1-2"), silent});
  EXPECT_EQ(units(resolve()), Strings{"1-2"});
  EXPECT_EQ(refusals(resolve()),
            Strings{"0 /sys/devices/1-1/video0 []: '$(usb.socket)' needs $(usb.socket), which the "
                    "device does not have"});
}

/// The expected result for a unit with these numbers of matched devices and members.
struct CountCase {
  std::string count;         ///< Allowed count of matched devices.
  std::string member_count;  ///< Allowed count of the member.
  size_t matched = 1;
  size_t members = 1;
  std::string refusal;  ///< Empty: the unit is offered.
  Refusal::Kind kind = Refusal::Kind::refused;
};

void PrintTo(const CountCase& c, std::ostream* out) {
  *out << c.matched << " of " << c.count << " with " << c.members << " of " << c.member_count;
}

class CountTest : public testing::TestWithParam<CountCase> {};

TEST_P(CountTest, SizeDecidesIfUnitIsOffered) {
  const CountCase& c = GetParam();
  Inventory inventory(plan_of(
      "  - name: a.io/x\n    match: {subsystem: tty}\n    by: one\n    size: " + c.count +
      "\n    members:\n      m: {match: {subsystem: sound}, size: " + c.member_count + "}\n"));
  for (size_t i = 0; i < c.matched; ++i) {
    inventory.apply(shared(usb_child("tty", "tty" + std::to_string(i), "1")));
  }
  for (size_t i = 0; i < c.members; ++i) {
    inventory.apply(shared(usb_child("sound", "pcm" + std::to_string(i), "1")));
  }
  const Resolution& resolution = inventory.resolve(kStart);
  if (c.refusal.empty()) {
    EXPECT_EQ(units(resolution), Strings{"one"});
    EXPECT_EQ(refusals(resolution), Strings{});
  } else {
    EXPECT_EQ(units(resolution), Strings{});
    EXPECT_EQ(refusals(resolution), Strings{"0 /sys/devices/1/tty0 []: " + c.refusal});
    EXPECT_EQ(all_refusals(resolution).at(0).kind, c.kind);
  }
}

constexpr auto kIncomplete = Refusal::Kind::incomplete;
constexpr auto kTooMany = Refusal::Kind::refused;

INSTANTIATE_TEST_SUITE_P(
    Counts, CountTest,
    testing::Values(
        CountCase{"1", "1", 1, 1, ""},  //
        CountCase{"1", "1", 1, 0, "incomplete: needs 1 'm', has none", kIncomplete},
        CountCase{"1", "1", 1, 2, "too many devices: needs 1 'm', has 2", kTooMany},
        CountCase{"2", "1", 1, 1, "incomplete: needs 2 devices that match, has 1", kIncomplete},
        CountCase{"2", "1", 2, 1, ""},
        CountCase{"2", "1", 3, 1, "too many devices: needs 2 devices that match, has 3", kTooMany},
        CountCase{"1", "1", 2, 1, "too many devices: needs 1 device that matches, has 2", kTooMany},
        CountCase{"1", "2-3", 1, 1, "incomplete: needs 2-3 'm', has 1", kIncomplete},
        CountCase{"1", "2-3", 1, 2, ""}, CountCase{"1", "2-3", 1, 3, ""},
        CountCase{"1", "2-3", 1, 4, "too many devices: needs 2-3 'm', has 4", kTooMany},
        CountCase{"1", "0-1", 1, 0, ""}, CountCase{"1", "0-1", 1, 1, ""},
        CountCase{"1", "0-1", 1, 2, "too many devices: needs 0-1 'm', has 2", kTooMany},
        CountCase{"1", "0+", 1, 0, ""}, CountCase{"1", "0+", 1, 30, ""},
        CountCase{"1+", "2+", 9, 1, "incomplete: needs 2+ 'm', has 1", kIncomplete},
        CountCase{"1+", "2+", 9, 2, ""},
        CountCase{"2+", "2", 1, 1, "incomplete: needs 2+ devices that match, has 1; 2 'm', has 1",
                  kIncomplete},
        // If the match finds too many devices and the member too few, only the excess is reported.
        CountCase{"1", "2", 2, 1, "too many devices: needs 1 device that matches, has 2",
                  kTooMany}));

TEST_F(UnitsTest, IncompleteUnitNamesClaimOfMissingDevice) {
  start("  - {name: a.io/first, match: {subsystem: sound}, id: $(name)}\n" + kCardsWithKeys);
  add({video("video0", "1-1"), sound("pcm10", "1-1"), sound("pcm9", "1-1")});
  EXPECT_EQ(units(resolve(), 1), Strings{});
  EXPECT_EQ(refusals(resolve()),
            Strings{"1 /sys/devices/1-1/video0 []: incomplete: needs 1 'sound', has none "
                    "(/sys/devices/1-1/pcm9 is claimed by a.io/first) "
                    "(/sys/devices/1-1/pcm10 is claimed by a.io/first)"});
}

TEST_F(UnitsTest, FirstDeviceInNaturalOrderProvidesValues) {
  start(
      "  - name: a.io/x\n"
      "    match: {subsystem: tty}\n"
      "    by: $(usb.socket)\n"
      "    size: 1+\n"
      "    members: {disk: {match: {subsystem: block}, size: 1+}}\n"
      "    id: $(name)-$(disk.name)\n"
      "    share: {count: $(disk.attribute.parts)}\n");
  DeviceFacts first = usb_child("block", "sd2", "1-1");
  fake::set(first, Fact::attribute, "parts", {"3"});
  DeviceFacts second = usb_child("block", "sd10", "1-1");
  fake::set(second, Fact::attribute, "parts", {"5"});
  add({second, first, usb_child("tty", "tty10", "1-1"), usb_child("tty", "tty2", "1-1")});
  EXPECT_EQ(units(resolve()), Strings{"tty2-sd2"});
  EXPECT_EQ(resolve().resources.at(0).snapshot->find("tty2-sd2")->shares, 3U);
  EXPECT_EQ(devices_of(resolve(), "tty2-sd2"), (Strings{"tty2", "tty10", "sd2", "sd10"}));
}

TEST_F(UnitsTest, EntryRepeatsForEachMemberDevice) {
  start(kCardsWithKeys +
        "    devices:\n"
        "      - {hostPath: $(keys.devnode), containerPath: /dev/key$(slot)}\n"
        "      - {hostPath: $(devnode), containerPath: /dev/picture$(slot)}\n"
        "    envs:\n"
        "      KEYS: $(name)/$(keys.name)\n"
        "      CARD: $(by)\n"
        "      EITHER: $(keys.name:-no keys)\n");
  add({video("video0", "1-1"), sound("pcm0", "1-1"), keys("hidraw10", "1-1"),
       keys("hidraw2", "1-1"), video("video1", "1-2"), sound("pcm1", "1-2")});
  EXPECT_EQ(units(resolve()), (Strings{"1-1", "1-2"}));
  const auto both = allocated(resolve(), {"1-2", "1-1"});
  ASSERT_TRUE(both) << both.error().message;
  EXPECT_EQ(both->devices, (std::vector<AllocatedDevice>{{"/dev/hidraw2", "/dev/key0", "rw"},
                                                         {"/dev/hidraw10", "/dev/key1", "rw"},
                                                         {"/dev/video0", "/dev/picture0", "rw"},
                                                         {"/dev/video1", "/dev/picture1", "rw"}}));
  EXPECT_EQ(envs_of(both), (Strings{"CARD=1-1,1-2", "EITHER=hidraw2,hidraw10,no keys",
                                    "KEYS=video0/hidraw2,video0/hidraw10"}));
  // An entry of a missing member is omitted. A fallback replaces its value.
  EXPECT_EQ(envs_of(allocated(resolve(), {"1-2"})), (Strings{"CARD=1-2", "EITHER=no keys"}));
  EXPECT_EQ(nodes_of(allocated(resolve(), {"1-2"})), Strings{"/dev/picture0"});
}

TEST_F(UnitsTest, UnitNumberIsEqualInAllEntries) {
  start(kCardsWithKeys +
        "    devices:\n"
        "      - {hostPath: $(devnode), containerPath: /dev/picture$(unit)}\n"
        "      - {hostPath: $(keys.devnode), containerPath: /dev/key$(unit)}\n"
        "    mounts: [{hostPath: /run/$(name), containerPath: /run/card$(unit)}]\n"
        "    envs: {CARD_$(unit): $(by), NUMBERS: $(unit), KEYS: $(keys.name)=$(unit)/$(slot)}\n"
        "    annotations: {a.io/card$(unit): $(by)}\n");
  add({video("video0", "1-1"), sound("pcm0", "1-1"), video("video1", "1-2"), sound("pcm1", "1-2"),
       keys("hidraw0", "1-2"), video("video2", "1-10"), sound("pcm2", "1-10"),
       keys("hidraw1", "1-10")});
  // The order of the kubelet's ids has no effect. Unit 1-1 has no keys, so for keys the slots
  // differ from the unit numbers.
  for (const Strings& ids : {Strings{"1-1", "1-2", "1-10"}, Strings{"1-10", "1-1", "1-2"}}) {
    const auto all = allocated(resolve(), ids);
    EXPECT_EQ(nodes_of(all), (Strings{"/dev/picture0", "/dev/picture1", "/dev/picture2",
                                      "/dev/key1", "/dev/key2"}));
    EXPECT_EQ(envs_of(all), (Strings{"CARD_0=1-1", "CARD_1=1-2", "CARD_2=1-10",
                                     "KEYS=hidraw0=1/0,hidraw1=2/1", "NUMBERS=0,1,2"}));
    ASSERT_EQ(all->mounts.size(), 3U);
    EXPECT_EQ(all->mounts.at(1), (AllocatedMount{"/run/video1", "/run/card1", true}));
    EXPECT_EQ(all->annotations.at("a.io/card2"), "1-10");
  }
  EXPECT_EQ(nodes_of(allocated(resolve(), {"1-10"})), (Strings{"/dev/picture0", "/dev/key0"}));
}

TEST_F(UnitsTest, FallbackMayUseOtherMember) {
  start(kCardsWithKeys + "    envs: {X: \"$(keys.devnode:-$(sound.devnode))\"}\n");
  add({video("video0", "1-1"), sound("pcm0", "1-1"), video("video1", "1-2"), sound("pcm1", "1-2"),
       keys("hidraw0", "1-2")});
  EXPECT_EQ(envs_of(allocated(resolve(), {"1-1", "1-2"})), Strings{"X=/dev/pcm0,/dev/hidraw0"});
}

TEST_F(UnitsTest, EntryRejectsTwoMembersWithSeveralDevices) {
  start(
      "  - name: a.io/x\n"
      "    match: {subsystem: tty}\n"
      "    by: $(usb.socket)\n"
      "    size: 1+\n"
      "    members:\n"
      "      disk: {match: {subsystem: block}, size: 1+}\n"
      "      net: {match: {subsystem: net}, size: 1+}\n"
      "    devices: []\n"
      "    envs: {PAIRS: $(disk.name)+$(net.name), $(name)_: $(disk.name)}\n");
  add({usb_child("tty", "tty0", "1"), usb_child("block", "sda", "1"), usb_child("net", "eth0", "1"),
       usb_child("net", "eth1", "1")});
  EXPECT_EQ(envs_of(allocated(resolve(), {"1"})),
            (Strings{"PAIRS=sda+eth0,sda+eth1", "tty0_=sda"}));
  add({usb_child("block", "sdb", "1")});
  EXPECT_EQ(refusals(resolve()),
            Strings{"0 /sys/devices/1/tty0 [1]: 'PAIRS': names several 'disk' and several 'net': "
                    "their pairs are ambiguous"});
  remove(usb_child("net", "eth1", "1"));
  add({usb_child("tty", "tty1", "1")});
  EXPECT_EQ(refusals(resolve()),
            Strings{"0 /sys/devices/1/tty0 [1]: '$(name)_': names several devices that match and "
                    "several 'disk': their pairs are ambiguous"});
}

TEST_F(UnitsTest, UnitWhoseIdNeedsAbsentMemberIsRefused) {
  start(kCardsWithKeys + "    id: $(keys.name)\n");
  add({video("video0", "1-1"), sound("pcm0", "1-1")});
  EXPECT_EQ(refusals(resolve()),
            Strings{"0 /sys/devices/1-1/video0 []: '$(keys.name)' needs $(keys.name), which the "
                    "unit does not have"});
  add({keys("hidraw3", "1-1")});
  EXPECT_EQ(units(resolve()), Strings{"hidraw3"});
}

TEST_F(UnitsTest, MatchedDeviceMayBeMember) {
  start(
      "  - name: a.io/x\n"
      "    match: {subsystem: tty}\n"
      "    by: $(usb.socket)\n"
      "    size: 1+\n"
      "    members: {console: {match: {subsystem: tty, name: ttyUSB0}}}\n"
      "    envs: {CONSOLE: $(console.devnode)}\n");
  add({usb_child("tty", "ttyUSB0", "1"), usb_child("tty", "ttyUSB1", "1"),
       usb_child("tty", "ttyUSB2", "2")});
  EXPECT_EQ(units(resolve()), Strings{"1"});
  EXPECT_EQ(devices_of(resolve(), "1"), (Strings{"ttyUSB0", "ttyUSB1", "ttyUSB0"}));
  EXPECT_EQ(envs_of(allocated(resolve(), {"1"})), Strings{"CONSOLE=/dev/ttyUSB0"});
  EXPECT_EQ(nodes_of(allocated(resolve(), {"1"})), (Strings{"/dev/ttyUSB0", "/dev/ttyUSB1"}));
  EXPECT_EQ(refusals(resolve()),
            Strings{"0 /sys/devices/2/ttyUSB2 []: incomplete: needs 1 'console', has none"});
}

TEST_F(UnitsTest, NodeOfTwoMembersIsInjectedOnce) {
  start(
      "  - name: a.io/x\n"
      "    match: {subsystem: usb}\n"
      "    by: $(usb.socket)\n"
      "    members:\n"
      "      all: {match: {subsystem: tty}, size: 1+}\n"
      "      console: {match: {subsystem: tty, name: \"*0\"}}\n");
  add({usb_child("usb", "1-1", "1"), usb_child("tty", "tty0", "1"), usb_child("tty", "tty1", "1")});
  EXPECT_EQ(devices_of(resolve(), "1"), (Strings{"1-1", "tty0", "tty1", "tty0"}));
  EXPECT_EQ(nodes_of(allocated(resolve(), {"1"})), (Strings{"/dev/1-1", "/dev/tty0", "/dev/tty1"}));
}

TEST_F(UnitsTest, UnitIsUnhealthyWhileDeviceIsRemoved) {
  start(kCardsWithKeys);
  const DeviceFacts voice = sound("pcm0", "1-1");
  add({video("video0", "1-1"), voice, keys("hidraw0", "1-1")});
  EXPECT_EQ(units(resolve()), Strings{"1-1"});
  remove(voice);
  EXPECT_EQ(units(resolve()), Strings{"1-1: /sys/devices/1-1/pcm0 is gone"});
  EXPECT_EQ(refusals(resolve()), Strings{"0 /sys/devices/1-1/video0 []: incomplete: needs 1 "
                                         "'sound', has none"});
  add({voice});
  EXPECT_EQ(units(resolve(kStart + minutes(4))), Strings{"1-1"});
  EXPECT_FALSE(inventory_->last().next_change);
  // All devices of the unit disappear.
  for (const DeviceFacts& facts : {video("video0", "1-1"), voice, keys("hidraw0", "1-1")}) {
    remove(facts);
  }
  EXPECT_EQ(units(resolve(kStart + minutes(6))), Strings{"1-1: /sys/devices/1-1/video0 is gone"});
  EXPECT_EQ(units(resolve(kStart + minutes(11))), Strings{});
}

TEST_F(UnitsTest, UnitIsUnhealthyWhileMemberHasAnotherBy) {
  start(kCardsWithKeys);
  add({video("video0", "1-1"), sound("pcm0", "1-1")});
  resolve();
  DeviceFacts elsewhere = sound("pcm0", "1-1");
  fake::set(elsewhere, Fact::usb, "socket", {"1-7"});
  add({elsewhere});
  EXPECT_EQ(units(resolve()), Strings{"1-1: incomplete: needs 1 'sound', has none"});
  add({sound("pcm5", "1-1")});
  EXPECT_EQ(units(resolve()), Strings{"1-1"});
  EXPECT_EQ(devices_of(resolve(), "1-1"), (Strings{"video0", "pcm5"}));
}

TEST_F(UnitsTest, UnitIsUnhealthyWithTooManyDevices) {
  start(kCardsWithKeys);
  add({video("video0", "1-1"), sound("pcm0", "1-1")});
  resolve();
  add({sound("pcm1", "1-1")});
  EXPECT_EQ(units(resolve()), Strings{"1-1: too many devices: needs 1 'sound', has 2"});
  remove(sound("pcm1", "1-1"));
  EXPECT_EQ(units(resolve()), Strings{"1-1"});
}

TEST_F(UnitsTest, UnitStaysHealthyWithoutOptionalMember) {
  start(kCardsWithKeys);
  add({video("video0", "1-1"), sound("pcm0", "1-1"), keys("hidraw0", "1-1")});
  const auto before = resolve().resources.at(0).snapshot;
  remove(keys("hidraw0", "1-1"));
  EXPECT_EQ(units(resolve()), Strings{"1-1"});
  EXPECT_NE(inventory_->last().resources.at(0).snapshot, before);
  EXPECT_EQ(devices_of(resolve(), "1-1"), (Strings{"video0", "pcm0"}));
}

TEST_F(UnitsTest, ChangedMemberFactIsApplied) {
  start(kCardsWithKeys);
  add({video("video0", "1-1"), sound("pcm0", "1-1"), video("video1", "1-2"), sound("pcm1", "1-2")});
  const auto before = resolve().resources.at(0).snapshot;
  EXPECT_EQ(resolve().resources.at(0).snapshot, before);
  DeviceFacts renamed = sound("pcm0", "1-1");
  renamed.devnode = "/dev/snd/pcm0";
  add({renamed});
  EXPECT_NE(resolve().resources.at(0).snapshot, before);
  EXPECT_EQ(nodes_of(allocated(resolve(), {"1-1"})), (Strings{"/dev/video0", "/dev/snd/pcm0"}));
  // The unit of other devices keeps its object.
  EXPECT_EQ(resolve().resources.at(0).snapshot->find("1-2")->members, before->find("1-2")->members);
}

TEST_F(UnitsTest, EqualByInTwoGroupsMakesTwoUnits) {
  start(
      "  - name: a.io/x\n    groups:\n"
      "      - {match: {subsystem: tty}, by: $(usb.socket), id: \"t-$(by)\"}\n"
      "      - {match: {subsystem: block}, by: $(usb.socket), id: \"b-$(by)\"}\n");
  add({usb_child("tty", "tty0", "1"), usb_child("block", "sda", "1")});
  EXPECT_EQ(units(resolve()), (Strings{"b-1", "t-1"}));
}

TEST_F(UnitsTest, NicUnitInjectsVerbsAndMadNodes) {
  start(
      "  - name: a.io/rdma\n"
      "    match: {subsystem: pci, pci: {vendor: \"15b3\", class: \"02\"}}\n"
      "    by: $(pci.address)\n"
      "    members:\n"
      "      verbs: {match: {subsystem: infiniband_verbs}}\n"
      "      mad:   {match: {subsystem: infiniband_mad, name: \"umad*\"}, size: 1+}\n"
      "      issm:  {match: {subsystem: infiniband_mad, name: \"issm*\"}, size: 0+}\n");
  const auto of_nic = [](const std::string& subsystem, const std::string& name) {
    DeviceFacts facts = usb_child(subsystem, name, "0000:3b:00.0");
    fake::drop(facts, Fact::usb);
    fake::set(facts, Fact::pci, "address", {"0000:3b:00.0"});
    fake::set(facts, Fact::pci, "vendor", {"15b3"});
    fake::set(facts, Fact::pci, "class", {"020700"});
    if (subsystem == "pci") facts.devnode.clear();
    return facts;
  };
  add({of_nic("pci", "0000:3b:00.0"), of_nic("infiniband_verbs", "uverbs0"),
       of_nic("infiniband_mad", "umad1"), of_nic("infiniband_mad", "umad0"),
       of_nic("infiniband_mad", "issm0")});
  EXPECT_EQ(nodes_of(allocated(resolve(), {"0000:3b:00.0"})),
            (Strings{"/dev/issm0", "/dev/umad0", "/dev/umad1", "/dev/uverbs0"}));
}

}  // namespace
}  // namespace patchbay::inventory
