#include "fake/facts.h"
#include "inventory/inventory_fixture.h"

namespace patchbay::inventory {
namespace {

const std::string kCards =
    "  - name: a.io/card\n"
    "    match: {subsystem: video4linux}\n"
    "    by: $(usb.socket)\n"
    "    members: {sound: {match: {subsystem: sound}}}\n";
const std::string kSounds = "  - {name: a.io/sound, match: {subsystem: sound}, id: $(name)}\n";

/// A device node that the pattern /dev/my/* finds.
DeviceFacts node(const std::string& path, uint32_t minor) {
  DeviceFacts facts = found("/dev/my/*", path, PathType::character_device);
  facts.number = DeviceNumber{.block = false, .major = 116, .minor = minor};
  return facts;
}
DeviceFacts numbered(DeviceFacts facts, uint32_t minor) {
  facts.number = DeviceNumber{.block = false, .major = 116, .minor = minor};
  return facts;
}

class ClaimsTest : public testing::Test {
 protected:
  void start(const std::string& resources) { inventory_.emplace(plan_of(resources)); }
  void add(const std::vector<DeviceFacts>& devices) {
    for (const DeviceFacts& facts : devices) inventory_->apply(shared(facts));
  }
  void take_away(const DeviceFacts& facts) { inventory_->remove(facts.key); }
  const Resolution& resolve() { return inventory_->resolve(kStart); }
  /// The ids of the healthy units.
  Strings offered(size_t resource) {
    Strings out;
    for (const Unit& unit : resolve().resources.at(resource).snapshot->units) {
      if (unit.healthy) out.push_back(unit.id);
    }
    return out;
  }

  std::optional<Inventory> inventory_;
};

TEST_F(ClaimsTest, MemberOfUnitIsClaimed) {
  start(kCards + kSounds);
  add({video("video0"), sound("pcm0"), sound("pcm1", "2")});
  EXPECT_EQ(offered(0), Strings{"1"});
  EXPECT_EQ(offered(1), Strings{"pcm1"});
  EXPECT_EQ(refusals(resolve()), Strings{"1 /sys/devices/1/pcm0 [pcm0]: claimed by a.io/card"});
  EXPECT_EQ(all_refusals(resolve()).at(0).kind, Refusal::Kind::claimed);
}

TEST_F(ClaimsTest, EarlierResourceWinsAlsoAgainstMember) {
  start(kSounds + kCards);
  add({video("video0"), sound("pcm0")});
  EXPECT_EQ(offered(0), Strings{"pcm0"});
  EXPECT_EQ(offered(1), Strings{});
  EXPECT_EQ(refusals(resolve()),
            Strings{"1 /sys/devices/1/video0 []: incomplete: needs 1 'sound', has none "
                    "(/sys/devices/1/pcm0 is claimed by a.io/sound)"});
}

TEST_F(ClaimsTest, DeviceOfIncompleteUnitIsClaimed) {
  start(
      "  - name: a.io/card\n"
      "    match: {subsystem: video4linux}\n"
      "    by: $(usb.socket)\n"
      "    members: {sound: {match: {subsystem: sound}, size: 2}}\n" +
      kSounds);
  add({video("video0"), sound("pcm0")});
  EXPECT_EQ(offered(0), Strings{});
  EXPECT_EQ(offered(1), Strings{});
  EXPECT_EQ(refusals(resolve()),
            (Strings{"0 /sys/devices/1/video0 []: incomplete: needs 2 'sound', has 1",
                     "1 /sys/devices/1/pcm0 [pcm0]: claimed by a.io/card"}));
  add({sound("pcm1")});
  EXPECT_EQ(offered(0), Strings{"1"});
  // A unit with one device too many is refused, and still claims its devices.
  add({sound("pcm2")});
  EXPECT_EQ(offered(0), Strings{});
  EXPECT_EQ(offered(1), Strings{});
  EXPECT_EQ(all_refusals(resolve()).size(), 4U);
}

TEST_F(ClaimsTest, DeviceOfRefusedUnitIsClaimed) {
  start(kCards + "    envs: {X: $(sound.property.KEY)}\n" + kSounds);
  add({video("video0"), sound("pcm0")});
  EXPECT_EQ(refusals(resolve()),
            (Strings{"0 /sys/devices/1/video0 [1]: '$(sound.property.KEY)' needs "
                     "$(sound.property.KEY), which that member does not have",
                     "1 /sys/devices/1/pcm0 [pcm0]: claimed by a.io/card"}));
}

TEST_F(ClaimsTest, DeviceWhoseByFailsIsClaimed) {
  start(kCards + "  - {name: a.io/video, match: {subsystem: video4linux}, id: $(name)}\n");
  DeviceFacts nowhere = video("video0");
  fake::drop(nowhere, Fact::usb);
  add({nowhere});
  EXPECT_EQ(offered(1), Strings{});
  EXPECT_EQ(all_refusals(resolve()).at(1).reason, "claimed by a.io/card");
}

TEST_F(ClaimsTest, MemberWithoutUnitIsNotClaimed) {
  start(kCards + kSounds);
  add({sound("pcm0")});
  EXPECT_EQ(offered(1), Strings{"pcm0"});
  add({video("video0")});
  EXPECT_EQ(offered(0), Strings{"1"});
  EXPECT_EQ(units(resolve(), 1), Strings{"pcm0: claimed by a.io/card"});
  take_away(video("video0"));
  EXPECT_EQ(units(resolve(), 0), Strings{"1: /sys/devices/1/video0 is gone"});
  EXPECT_EQ(units(resolve(), 1), Strings{"pcm0"});
  // video0 returns in socket 2. pcm0 is in socket 1, where no unit exists, so it stays unclaimed.
  add({video("video0", "2")});
  EXPECT_EQ(offered(0), Strings{});
  EXPECT_EQ(offered(1), Strings{"pcm0"});
}

TEST_F(ClaimsTest, ClaimChangesWhenDeviceMatchesEarlierGroup) {
  start("  - {name: a.io/good, match: {subsystem: sound, property: {GOOD: \"1\"}}, id: $(name)}\n" +
        kCards + kSounds);
  DeviceFacts good = sound("pcm0");
  fake::set(good, Fact::property, "GOOD", {"1"});
  add({video("video0"), sound("pcm0")});
  EXPECT_EQ(offered(1), Strings{"1"});
  add({good});
  EXPECT_EQ(offered(0), Strings{"pcm0"});
  EXPECT_EQ(units(resolve(), 1),
            Strings{"1: incomplete: needs 1 'sound', has none (/sys/devices/1/pcm0 is claimed by "
                    "a.io/good)"});
  add({sound("pcm0")});
  EXPECT_EQ(offered(0), Strings{});
  EXPECT_EQ(offered(1), Strings{"1"});
  take_away(video("video0"));
  EXPECT_EQ(offered(2), Strings{"pcm0"});
}

TEST_F(ClaimsTest, EarlierGroupOfResourceClaimsMembers) {
  start(
      "  - name: a.io/x\n    groups:\n"
      "      - match: {subsystem: video4linux}\n"
      "        by: $(usb.socket)\n"
      "        members: {sound: {match: {subsystem: sound}}}\n"
      "      - {match: {subsystem: sound}, id: $(name)}\n");
  add({video("video0"), sound("pcm0"), sound("pcm1", "2")});
  EXPECT_EQ(offered(0), (Strings{"1", "pcm1"}));
  EXPECT_EQ(refusals(resolve()), Strings{});
}

TEST_F(ClaimsTest, ResourceRefusesADeviceOnce) {
  start(kSounds +
        "  - name: a.io/x\n    id: $(name)\n    groups:\n"
        "      - {match: {subsystem: sound}}\n"
        "      - {match: {name: \"pcm*\", subsystem: sound}}\n"
        "  - {name: a.io/y, match: {subsystem: sound}, id: $(name)}\n");
  add({sound("pcm0")});
  EXPECT_EQ(refusals(resolve()), (Strings{"1 /sys/devices/1/pcm0 [pcm0]: claimed by a.io/sound",
                                          "2 /sys/devices/1/pcm0 [pcm0]: claimed by a.io/sound"}));
}

TEST_F(ClaimsTest, DeviceMayBeTwoMembersOfItsUnit) {
  start(
      "  - name: a.io/card\n"
      "    match: {subsystem: video4linux}\n"
      "    by: $(usb.socket)\n"
      "    members:\n"
      "      sound: {match: {subsystem: sound}}\n"
      "      voice: {match: {subsystem: sound}}\n"
      "      lamp: {match: {subsystem: leds}}\n");
  add({video("video0"), sound("pcm0")});
  EXPECT_EQ(refusals(resolve()),
            Strings{"0 /sys/devices/1/video0 []: incomplete: needs 1 'lamp', has none"});
  add({usb_child("leds", "led0", "1")});
  EXPECT_EQ(refusals(resolve()), Strings{});
  EXPECT_EQ(devices_of(resolve(), "1"), (Strings{"video0", "led0", "pcm0", "pcm0"}));
}

/// pcm0 and /dev/my/a are one device node, found as a kernel device and as a path. Each of them is
/// a member of the unit.
TEST_F(ClaimsTest, UnitHasNodeAsDeviceMemberAndPathMember) {
  start(
      "  - name: a.io/card\n"
      "    match: {subsystem: video4linux}\n"
      "    by: one\n"
      "    members:\n"
      "      sound: {match: {subsystem: sound}}\n"
      "      voice: {match: {glob: /dev/my/*}}\n"
      "      lamp: {match: {subsystem: leds}}\n");
  add({video("video0"), numbered(sound("pcm0"), 7), node("/dev/my/a", 7)});
  EXPECT_EQ(refusals(resolve()),
            Strings{"0 /sys/devices/1/video0 []: incomplete: needs 1 'lamp', has none"});
  add({usb_child("leds", "led0", "1")});
  EXPECT_EQ(devices_of(resolve(), "one"), (Strings{"video0", "led0", "pcm0", "a"}));
}

TEST_F(ClaimsTest, NodeFoundAsDeviceAndAsPathIsOneDevice) {
  start(kCards + "  - {name: a.io/node, match: {glob: /dev/my/*}, id: $(name)}\n");
  add({video("video0"), numbered(sound("pcm0"), 7), node("/dev/my/a", 7), node("/dev/my/b", 8)});
  EXPECT_EQ(offered(0), Strings{"1"});
  EXPECT_EQ(offered(1), Strings{"b"});
  EXPECT_EQ(refusals(resolve()), Strings{"1 /dev/my/a [a]: the same device node as "
                                         "/sys/devices/1/pcm0, claimed by a.io/card"});
}

TEST_F(ClaimsTest, NodeClaimedAsPathIsMissingInLaterUnit) {
  start("  - {name: a.io/node, match: {glob: /dev/my/*}, id: $(name)}\n" + kCards);
  add({video("video0"), numbered(sound("pcm0"), 7), node("/dev/my/a", 7)});
  EXPECT_EQ(offered(0), Strings{"a"});
  EXPECT_EQ(refusals(resolve()),
            Strings{"1 /sys/devices/1/video0 []: incomplete: needs 1 'sound', has none "
                    "(/sys/devices/1/pcm0 is the same device node as /dev/my/a, claimed by "
                    "a.io/node)"});
  take_away(node("/dev/my/a", 7));
  EXPECT_EQ(offered(1), Strings{"1"});
}

TEST_F(ClaimsTest, UnitHasNodeOfTwoPathsOnce) {
  start(
      "  - name: a.io/x\n"
      "    match: {subsystem: video4linux}\n"
      "    by: all\n"
      "    members:\n"
      "      nodes: {match: {glob: /dev/my/*}, size: 0+}\n");
  add({video("video0"), node("/dev/my/b", 7), node("/dev/my/a", 7), node("/dev/my/c", 8)});
  EXPECT_EQ(devices_of(resolve(), "all"), (Strings{"video0", "a", "c"}));
}

/// A resource with one unit. Its match and its member can find the same device node: one of them as
/// a path, and the other as a kernel device.
std::string device_and_path(const std::string& matched, const std::string& member,
                            const std::string& more = "") {
  return "  - name: a.io/x\n    match: {" + matched + "}\n    by: one\n    id: one\n" +
         "    members: {y: {match: {" + member + "}" + more + "}}\n";
}

TEST_F(ClaimsTest, MatchAndMemberMayFindTheSameNode) {
  const std::string path = "glob: /dev/my/*";
  const std::string device = "subsystem: sound";
  for (const std::string more : {"", ", claim: shared"}) {
    for (const bool path_first : {true, false}) {
      start(path_first ? device_and_path(path, device, more) : device_and_path(device, path, more));
      add({numbered(sound("pcm0"), 7), node("/dev/my/a", 7)});
      EXPECT_EQ(refusals(resolve()), Strings{});
      EXPECT_EQ(devices_of(resolve(), "one"),
                path_first ? (Strings{"a", "pcm0"}) : (Strings{"pcm0", "a"}));
      // pcm0 and /dev/my/a are the same device node, so it is injected once.
      EXPECT_EQ(nodes_of(allocated(resolve(), {"one"})),
                Strings{path_first ? "/dev/my/a" : "/dev/pcm0"});
    }
  }
}

TEST_F(ClaimsTest, MemberEntryInjectsItsNodeIfMatchedDeviceIsThePath) {
  start(device_and_path("glob: /dev/my/*", "subsystem: sound, devnode: \"*\"") +
        "    devices: [$(y.devnode)]\n");
  add({numbered(sound("pcm0"), 7), node("/dev/my/a", 7)});
  EXPECT_EQ(nodes_of(allocated(resolve(), {"one"})), Strings{"/dev/pcm0"});
}

TEST_F(ClaimsTest, MemberHasOnlyFirstPathOfNode) {
  start(device_and_path("subsystem: sound", "glob: /dev/my/*"));
  add({numbered(sound("pcm0"), 7), node("/dev/my/a", 7), node("/dev/my/b", 7)});
  EXPECT_EQ(devices_of(resolve(), "one"), (Strings{"pcm0", "a"}));
}

TEST_F(ClaimsTest, PathOfClaimedDeviceIsNoMemberOfAnotherUnit) {
  start(
      "  - name: a.io/x\n    match: {subsystem: sound}\n    by: $(name)\n"
      "    members: {y: {match: {glob: /dev/my/*}}}\n");
  add({numbered(sound("a"), 7), numbered(sound("b"), 8), node("/dev/my/a", 8)});
  EXPECT_EQ(offered(0), Strings{});
  EXPECT_EQ(refusals(resolve()),
            (Strings{"0 /sys/devices/1/a []: incomplete: needs 1 'y', has none (/dev/my/a is the "
                     "same device node as /sys/devices/1/b, claimed by a.io/x)",
                     "0 /sys/devices/1/b []: incomplete: needs 1 'y', has none"}));
}

TEST_F(ClaimsTest, LaterResourceDoesNotGetDeviceOfClaimedPath) {
  start(device_and_path("glob: /dev/my/*", "subsystem: sound") + kSounds);
  add({numbered(sound("pcm0"), 7), node("/dev/my/a", 7)});
  EXPECT_EQ(offered(0), Strings{"one"});
  EXPECT_EQ(refusals(resolve()), Strings{"1 /sys/devices/1/pcm0 [pcm0]: the same device node as "
                                         "/dev/my/a, claimed by a.io/x"});
}

TEST_F(ClaimsTest, MemberOfTwoGroupsGoesToFirstGroupWithUnit) {
  start(
      "  - name: a.io/video\n"
      "    match: {subsystem: video4linux}\n"
      "    by: $(usb.socket)\n"
      "    members: {sound: {match: {subsystem: sound}}}\n"
      "  - name: a.io/disk\n"
      "    match: {subsystem: block}\n"
      "    by: $(usb.socket)\n"
      "    members:\n"
      "      keys: {match: {subsystem: hidraw}, size: 0+}\n"
      "      voice: {match: {subsystem: sound}, size: 0+}\n");
  add({video("video0", "1"), sound("pcm1", "1"), usb_child("block", "sda", "1"), sound("pcm2", "2"),
       usb_child("hidraw", "hidraw2", "2"), usb_child("block", "sdb", "2")});
  EXPECT_EQ(devices_of(resolve(), "1", 0), (Strings{"video0", "pcm1"}));
  EXPECT_EQ(devices_of(resolve(), "2", 1), (Strings{"sdb", "hidraw2", "pcm2"}));
  const auto& members = *resolve().resources.at(1).snapshot->find("2")->members;
  EXPECT_EQ(members.of(2).size(), 1U);
  EXPECT_EQ(members.of(2).front().facts->name, "pcm2");
  EXPECT_EQ(devices_of(resolve(), "1", 1), Strings{"sda"});
  EXPECT_EQ(refusals(resolve()), Strings{});
}

TEST_F(ClaimsTest, SharedClaimNeitherBlocksNorIsBlocked) {
  const std::string monitor =
      "  - {name: a.io/monitor, claim: shared, match: {subsystem: sound}, id: m-$(name)}\n";
  for (const std::string& config :
       {monitor + kCards + kSounds, kCards + monitor + kSounds, kCards + kSounds + monitor}) {
    start(config);
    add({video("video0"), sound("pcm0"), sound("pcm1", "2")});
    std::map<std::string, Strings> by_name;
    for (size_t i = 0; i < 3; ++i) {
      by_name[resolve().resources.at(i).snapshot->resource->name] = offered(i);
    }
    EXPECT_EQ(by_name["a.io/card"], Strings{"1"});
    EXPECT_EQ(by_name["a.io/sound"], Strings{"pcm1"});
    EXPECT_EQ(by_name["a.io/monitor"], (Strings{"m-pcm0", "m-pcm1"}));
  }
}

TEST_F(ClaimsTest, ResourcesWithSharedClaimsOfferSameDevice) {
  start(
      "  - {name: a.io/a, claim: shared, match: {subsystem: sound}, id: a-$(name)}\n"
      "  - {name: a.io/b, claim: shared, match: {subsystem: sound}, id: b-$(name)}\n");
  add({sound("pcm0")});
  EXPECT_EQ(offered(0), Strings{"a-pcm0"});
  EXPECT_EQ(offered(1), Strings{"b-pcm0"});
}

TEST_F(ClaimsTest, GroupsOfResourceWithSharedClaimGetDifferentDevices) {
  start(
      "  - name: a.io/x\n    claim: shared\n    groups:\n"
      "      - match: {subsystem: video4linux}\n"
      "        by: $(usb.socket)\n"
      "        members: {sound: {match: {subsystem: sound}}}\n"
      "      - {match: {subsystem: sound}, id: s-$(name)}\n" +
      kSounds);
  add({video("video0"), sound("pcm0"), sound("pcm1", "2")});
  EXPECT_EQ(offered(0), (Strings{"1", "s-pcm1"}));
  EXPECT_EQ(offered(1), (Strings{"pcm0", "pcm1"}));
  EXPECT_EQ(refusals(resolve()), Strings{});
}

TEST_F(ClaimsTest, ResourceWithSharedClaimOffersNodeOnce) {
  start("  - {name: a.io/x, claim: shared, match: {glob: /dev/my/*}, id: $(name)}\n" + kSounds);
  add({numbered(sound("pcm0"), 7), node("/dev/my/a", 7), node("/dev/my/b", 7)});
  EXPECT_EQ(offered(0), Strings{"a"});
  EXPECT_EQ(offered(1), Strings{"pcm0"});
}

/// A resource for one port of a card. All ports of the card have the same clock.
std::string clocked(const std::string& port, const std::string& claim = "shared") {
  return "  - name: a.io/" + port + "\n    match: {subsystem: net, name: " + port +
         "}\n    by: $(usb.socket)\n    id: $(name)\n    members: {clock: {match: {subsystem: "
         "ptp}, "
         "claim: " +
         claim + "}}\n";
}
const std::string kClocks = "  - {name: a.io/clock, match: {subsystem: ptp}, id: $(name)}\n";

TEST_F(ClaimsTest, SharedMemberIsInSeveralUnits) {
  start(clocked("eth0") + clocked("eth1") + clocked("eth2", "exclusive") + kClocks);
  add({usb_child("net", "eth0", "1"), usb_child("net", "eth1", "1"), usb_child("net", "eth2", "1"),
       usb_child("ptp", "ptp0", "1")});
  EXPECT_EQ(devices_of(resolve(), "eth0", 0), (Strings{"eth0", "ptp0"}));
  EXPECT_EQ(devices_of(resolve(), "eth1", 1), (Strings{"eth1", "ptp0"}));
  // A shared member reserves nothing. So a.io/eth2, the first resource that claims the clock
  // exclusively, gets it, and a.io/clock does not.
  EXPECT_EQ(devices_of(resolve(), "eth2", 2), (Strings{"eth2", "ptp0"}));
  EXPECT_EQ(refusals(resolve()), Strings{"3 /sys/devices/1/ptp0 [ptp0]: claimed by a.io/eth2"});
}

TEST_F(ClaimsTest, ClaimedDeviceMayBeSharedMember) {
  start(kClocks + clocked("eth0") + clocked("eth1", "exclusive"));
  add({usb_child("net", "eth0", "1"), usb_child("net", "eth1", "1"),
       usb_child("ptp", "ptp0", "1")});
  EXPECT_EQ(offered(0), Strings{"ptp0"});
  EXPECT_EQ(offered(1), Strings{"eth0"});
  EXPECT_EQ(offered(2), Strings{});
  EXPECT_EQ(refusals(resolve()),
            Strings{"2 /sys/devices/1/eth1 []: incomplete: needs 1 'clock', has none "
                    "(/sys/devices/1/ptp0 is claimed by a.io/clock)"});
}

TEST_F(ClaimsTest, GroupsOfOneResourceMayShareMember) {
  const std::string members =
      ", by: $(usb.socket), id: $(name), members: {clock: {match: {subsystem: ptp}, claim: "
      "shared}}}\n";
  start("  - name: a.io/port\n    groups:\n      - {match: {subsystem: net, name: eth0}" + members +
        "      - {match: {subsystem: net, name: eth1}" + members);
  add({usb_child("net", "eth0", "1"), usb_child("net", "eth1", "1"),
       usb_child("ptp", "ptp0", "1")});
  EXPECT_EQ(offered(0), (Strings{"eth0", "eth1"}));
  const auto both = allocated(resolve(), {"eth0", "eth1"});
  EXPECT_EQ(nodes_of(both), (Strings{"/dev/eth0", "/dev/eth1", "/dev/ptp0"}));
}

TEST_F(ClaimsTest, SharedMemberHasNodeOfTwoPathsOnce) {
  start(
      "  - name: a.io/port\n    match: {subsystem: net}\n    by: one\n"
      "    members: {clock: {match: {glob: /dev/my/*}, claim: shared, size: 1+}}\n");
  add({usb_child("net", "eth0", "1"), node("/dev/my/a", 7), node("/dev/my/b", 7),
       node("/dev/my/c", 8)});
  EXPECT_EQ(devices_of(resolve(), "one"), (Strings{"eth0", "a", "c"}));
}

}  // namespace
}  // namespace patchbay::inventory
