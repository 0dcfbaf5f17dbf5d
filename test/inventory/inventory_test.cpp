#include "inventory/inventory.h"

#include <algorithm>
#include <random>

#include <gmock/gmock.h>

#include "fake/facts.h"
#include "inventory/inventory_fixture.h"

namespace patchbay::inventory {
namespace {

const std::string kSerials =
    "  - name: a.io/serial\n    match: {subsystem: tty, name: \"ttyUSB*\"}\n"
    "    id: $(property.SERIAL)\n";

TEST(Inventory, OffersMatchingDevices) {
  Inventory inventory(plan_of(kSerials));
  EXPECT_TRUE(inventory.apply(shared(serial("ttyUSB10", "LAB10"))));
  EXPECT_TRUE(inventory.apply(shared(serial("ttyUSB2", "LAB2"))));
  EXPECT_FALSE(inventory.apply(shared(serial("ttyS0", "LAB3"))));
  EXPECT_EQ(matched_devices(inventory), 2U);
  EXPECT_EQ(units(inventory.resolve(kStart)), (Strings{"LAB2", "LAB10"}));
  EXPECT_TRUE(all_refusals(inventory.last()).empty());
  EXPECT_FALSE(inventory.last().next_change);
}

TEST(Inventory, UnchangedResourceKeepsItsSnapshot) {
  Inventory inventory(
      plan_of(kSerials + "  - {name: a.io/net, match: {subsystem: net}, id: $(name)}\n"));
  EXPECT_TRUE(inventory.apply(shared(serial("ttyUSB0", "A"))));
  const auto before = snapshots(inventory.resolve(kStart));
  EXPECT_FALSE(inventory.apply(shared(serial("ttyUSB0", "A"))));  // A read found equal facts.
  EXPECT_EQ(snapshots(inventory.resolve(kStart)), before);
  EXPECT_TRUE(inventory.apply(shared(serial("ttyUSB1", "B"))));
  const auto after = snapshots(inventory.resolve(kStart));
  EXPECT_NE(after.at(0), before.at(0));
  EXPECT_EQ(after.at(1), before.at(1));
}

TEST(Inventory, NewSnapshotsHaveTimeOfFirstEvent) {
  const std::string net = "  - {name: a.io/net, match: {subsystem: net}, id: $(name)}\n";
  Inventory inventory(plan_of(kSerials + net));
  using std::chrono::milliseconds;
  const auto event_times = [&] {
    std::vector<std::optional<Inventory::Time>> times;
    for (const auto& resource : inventory.resolve(kStart).resources) {
      times.push_back(resource.snapshot->event_time);
    }
    return times;
  };
  inventory.apply(shared(serial("ttyUSB0", "A")));
  EXPECT_THAT(event_times(), testing::ElementsAre(std::nullopt, std::nullopt));
  inventory.apply(shared(serial("ttyUSB1", "B")));
  inventory.note_event(kStart + milliseconds(2));
  inventory.note_event(kStart + milliseconds(1));
  EXPECT_THAT(event_times(), testing::ElementsAre(kStart + milliseconds(1), std::nullopt));
  inventory.apply(shared(serial("ttyUSB2", "C")));  // No event caused this change.
  EXPECT_THAT(event_times(), testing::ElementsAre(std::nullopt, std::nullopt));
}

TEST(Inventory, ListsOnlyNumaNodesThatAreOnline) {
  Inventory inventory(plan_of("  - {name: a.io/a, match: {subsystem: tty}, id: $(name)}\n"));
  DeviceFacts facts = serial("ttyUSB0", "");
  fake::set(facts, Fact::numa_node, {"1"});
  inventory.apply(shared(facts));
  const auto nodes = [&] {
    return inventory.resolve(kStart).resources.at(0).snapshot->find("ttyUSB0")->nodes;
  };
  EXPECT_EQ(nodes(), std::vector<int>{});
  EXPECT_TRUE(inventory.set_online_nodes({0, 1}));
  EXPECT_EQ(nodes(), std::vector<int>{1});
  EXPECT_FALSE(inventory.set_online_nodes({0, 1}));
  EXPECT_TRUE(inventory.set_online_nodes({0}));
  EXPECT_EQ(nodes(), std::vector<int>{});
}

TEST(Inventory, ChangedFactMakesNewSnapshot) {
  Inventory inventory(plan_of(kSerials));
  inventory.apply(shared(serial("ttyUSB0", "A")));
  const auto before = inventory.resolve(kStart).resources.at(0).snapshot;
  DeviceFacts facts = serial("ttyUSB0", "A");
  facts.devnode = "/dev/ttyUSB7";
  EXPECT_TRUE(inventory.apply(shared(facts)));
  EXPECT_NE(inventory.resolve(kStart).resources.at(0).snapshot, before);
  EXPECT_EQ(units(inventory.last()), Strings{"A"});
}

TEST(Inventory, RemovesOnlyKnownDevices) {
  Inventory inventory(plan_of(kSerials));
  inventory.apply(shared(serial("ttyUSB0", "A")));
  EXPECT_FALSE(inventory.remove("/sys/devices/usb/ttyUSB9"));
  EXPECT_TRUE(inventory.remove("/sys/devices/usb/ttyUSB0"));
  EXPECT_EQ(matched_devices(inventory), 0U);
}

TEST(Inventory, RefusesDeviceWithMissingOrInvalidValue) {
  Inventory inventory(plan_of(kSerials + "    devices: [$(devnode)]\n"
                                         "    mounts: [{hostPath: /data/$(property.SERIAL)}]\n"
                                         "    envs: {LINK: $(link.by-id)}\n"));
  inventory.apply(shared(serial("ttyUSB0", "")));
  inventory.apply(shared(serial("ttyUSB1", "../../etc")));
  inventory.apply(shared(serial("ttyUSB2", "x\ny")));
  DeviceFacts linkless = serial("ttyUSB3", "OK");
  fake::drop(linkless, Fact::link);
  inventory.apply(shared(linkless));
  inventory.apply(shared(serial("ttyUSB4", "GOOD")));
  EXPECT_EQ(units(inventory.resolve(kStart)), Strings{"GOOD"});
  EXPECT_EQ(
      refusals(inventory.last()),
      (Strings{
          "0 /sys/devices/usb/ttyUSB0 []: '$(property.SERIAL)' needs $(property.SERIAL), which the "
          "device does not have",
          "0 /sys/devices/usb/ttyUSB1 [.._.._etc]: '/data/$(property.SERIAL)' $(property.SERIAL) "
          "is "
          "\"../../etc\", which cannot be a component of a path",
          "0 /sys/devices/usb/ttyUSB2 []: '$(property.SERIAL)' $(property.SERIAL) is \"x\\x0ay\", "
          "which contains a control character",
          "0 /sys/devices/usb/ttyUSB3 [OK]: '$(link.by-id)' needs $(link.by-id), which the device "
          "does not have"}));
}

TEST(Inventory, SortsRefusalsByDevice) {
  Inventory inventory(
      plan_of("  - name: a.io/a\n    id: $(property.SERIAL)\n    groups:\n"
              "      - {match: {subsystem: tty, name: ttyUSB9}}\n"
              "      - {match: {subsystem: tty}}\n"));
  for (const std::string name : {"ttyUSB9", "ttyUSB10", "ttyUSB1"}) {
    inventory.apply(shared(serial(name, "")));
  }
  Strings devices;
  for (const Refusal& refusal : all_refusals(inventory.resolve(kStart))) {
    devices.push_back(refusal.device);
  }
  EXPECT_EQ(devices, (Strings{"/sys/devices/usb/ttyUSB1", "/sys/devices/usb/ttyUSB9",
                              "/sys/devices/usb/ttyUSB10"}));
}

TEST(Inventory, RefusesUnitWithConflictingEntries) {
  Inventory inventory(plan_of(
      kSerials + "    devices: [$(devnode), {hostPath: /dev/kfd, containerPath: $(devnode)}]\n"));
  inventory.apply(shared(serial("ttyUSB0", "A")));
  EXPECT_TRUE(units(inventory.resolve(kStart)).empty());
  EXPECT_EQ(
      refusals(inventory.last()),
      Strings{"0 /sys/devices/usb/ttyUSB0 [A]: two entries at the container path /dev/ttyUSB0: "
              "device /dev/ttyUSB0 (rw) and device /dev/kfd (rw)"});
}

TEST(InventoryClaims, FirstMatchingResourceClaimsDevice) {
  Inventory inventory(
      plan_of("  - {name: a.io/first, match: {subsystem: tty, name: ttyUSB0}, id: $(name)}\n"
              "  - {name: a.io/rest, match: {subsystem: tty}, id: rest-$(name)}\n"));
  inventory.apply(shared(serial("ttyUSB0", "A")));
  inventory.apply(shared(serial("ttyUSB1", "B")));
  const Resolution& resolution = inventory.resolve(kStart);
  EXPECT_EQ(units(resolution, 0), Strings{"ttyUSB0"});
  EXPECT_EQ(units(resolution, 1), Strings{"rest-ttyUSB1"});
  EXPECT_EQ(refusals(resolution),
            Strings{"1 /sys/devices/usb/ttyUSB0 [rest-ttyUSB0]: claimed by a.io/first"});
}

TEST(InventoryClaims, RefusedDeviceStaysClaimedByFirstResource) {
  Inventory inventory(
      plan_of(kSerials + "  - {name: a.io/rest, match: {subsystem: tty}, id: $(name)}\n"));
  inventory.apply(shared(serial("ttyUSB0", "")));
  EXPECT_TRUE(units(inventory.resolve(kStart), 0).empty());
  EXPECT_TRUE(units(inventory.last(), 1).empty());
  EXPECT_EQ(all_refusals(inventory.last()).size(), 2U);
}

TEST(InventoryClaims, LaterGroupOfSameResourceReportsNoRefusalForClaimedDevice) {
  Inventory inventory(
      plan_of("  - name: a.io/serial\n    groups:\n"
              "      - {match: {subsystem: tty, name: ttyUSB0}, id: special}\n"
              "      - {match: {subsystem: tty}, id: $(name)}\n"));
  inventory.apply(shared(serial("ttyUSB0", "A")));
  inventory.apply(shared(serial("ttyUSB1", "B")));
  EXPECT_EQ(units(inventory.resolve(kStart)), (Strings{"special", "ttyUSB1"}));
  EXPECT_TRUE(all_refusals(inventory.last()).empty());
  EXPECT_EQ(inventory.last().resources.at(0).snapshot->find("ttyUSB1")->members->group, 1U);
}

TEST(InventoryClaims, DeviceAndPathsWithSameNumberAreOneDevice) {
  Inventory inventory(
      plan_of("  - {name: a.io/glob, match: {glob: /dev/my*}, id: $(name)}\n" + kSerials));
  const DeviceNumber number{.block = false, .major = 188, .minor = 0};
  DeviceFacts device = serial("ttyUSB0", "A");
  device.number = number;
  DeviceFacts path10 = found("/dev/my*", "/dev/my10", PathType::character_device);
  DeviceFacts path9 = found("/dev/my*", "/dev/my9", PathType::character_device);
  path9.number = path10.number = number;
  for (const DeviceFacts& facts : {device, path10, path9}) inventory.apply(shared(facts));
  EXPECT_EQ(units(inventory.resolve(kStart), 0), Strings{"my9"});
  EXPECT_TRUE(units(inventory.last(), 1).empty());
  EXPECT_EQ(refusals(inventory.last()),
            (Strings{"0 /dev/my10 [my10]: the same device node as /dev/my9, claimed by a.io/glob",
                     "1 /sys/devices/usb/ttyUSB0 [A]: the same device node as /dev/my9, claimed by "
                     "a.io/glob"}));
  // A block device with the same numbers is not the same device.
  device.number->block = true;
  inventory.apply(shared(device));
  EXPECT_EQ(units(inventory.resolve(kStart), 1), Strings{"A"});
}

TEST(InventoryIds, UnitsWithEqualIdsAreBothRefused) {
  Inventory inventory(plan_of(kSerials));
  inventory.apply(shared(serial("ttyUSB10", "SAME")));
  inventory.apply(shared(serial("ttyUSB9", "SAME")));
  inventory.apply(shared(serial("ttyUSB1", "OTHER")));
  EXPECT_EQ(units(inventory.resolve(kStart)), Strings{"OTHER"});
  EXPECT_EQ(refusals(inventory.last()),
            (Strings{"0 /sys/devices/usb/ttyUSB9 [SAME]: the id 'SAME' is also the id of "
                     "/sys/devices/usb/ttyUSB10",
                     "0 /sys/devices/usb/ttyUSB10 [SAME]: the id 'SAME' is also the id of "
                     "/sys/devices/usb/ttyUSB9"}));
}

/// Each share counts towards the limit kMaxUnits. In the second iteration, two more shares would
/// fit, but not a third unit.
TEST(InventoryLimits, OffersAtMostMaxUnits) {
  for (const size_t shares : {kMaxUnits / 2, kMaxUnits / 2 - 1}) {
    Inventory inventory(
        plan_of("  - {name: a.io/a, match: {glob: /x/*}, id: $(name), share: {count: " +
                std::to_string(shares) + "}}\n"));
    for (const std::string path : {"/x/1", "/x/2", "/x/3", "/x/4"}) {
      inventory.apply(shared(found("/x/*", path)));
    }
    const Resolution& resolution = inventory.resolve(kStart);
    EXPECT_EQ(units(resolution), (Strings{"1", "2"}));
    ASSERT_EQ(all_refusals(resolution).size(), 2U);
    EXPECT_EQ(all_refusals(resolution).back().device, "/x/4");
    EXPECT_EQ(all_refusals(resolution).back().reason,
              "the resource has too many units: the limit is 43690");
  }
}

TEST(Inventory, ResultDoesNotDependOnEventOrder) {
  const auto plan = plan_of(
      "  - {name: a.io/a, linger: 0s, match: {subsystem: tty, name: \"ttyUSB[0-4]\"}, "
      "id: $(property.SERIAL)}\n"
      "  - {name: a.io/b, linger: 0s, match: {subsystem: tty}, id: $(property.SERIAL)}\n"
      "  - {name: a.io/c, linger: 0s, match: {glob: /dev/*}, id: c-$(name)}\n");
  std::mt19937 random(7);  // NOLINT(*-msc51-cpp): each run has the same numbers.
  const auto pick = [&](size_t n) { return random() % n; };
  const auto device = [&] {
    const std::string name = "ttyUSB" + std::to_string(pick(8));
    DeviceFacts facts = serial(name, pick(5) == 0 ? "" : "S" + std::to_string(pick(6)));
    if (pick(3) == 0) facts = found("/dev/*", "/dev/" + name, PathType::character_device);
    if (pick(2) == 0) facts.number = DeviceNumber{false, 188, static_cast<uint32_t>(pick(4))};
    return facts;
  };
  for (int round = 0; round < 40; ++round) {
    Inventory inventory(plan);
    std::map<std::string, DeviceFacts> now;
    for (int event = 0; event < 40; ++event) {
      const DeviceFacts facts = device();
      if (pick(4) == 0) {
        now.erase(facts.key);
        inventory.remove(facts.key);
      } else {
        now[facts.key] = facts;
        inventory.apply(shared(facts));
      }
      if (pick(3) == 0) inventory.resolve(kStart);
    }
    Inventory fresh(plan);
    fresh.inherit(inventory);  // If units have equal ids, the listed unit keeps the id.
    std::vector<std::string> keys;
    for (const auto& [key, facts] : now) keys.push_back(key);
    std::ranges::shuffle(keys, random);
    for (const std::string& key : keys) fresh.apply(shared(now[key]));
    const Resolution& a = inventory.resolve(kStart);
    const Resolution& b = fresh.resolve(kStart);
    ASSERT_EQ(refusals(a), refusals(b));
    for (size_t i = 0; i < 3; ++i)
      ASSERT_EQ(a.resources[i].snapshot->units, b.resources[i].snapshot->units);
  }
}

/// The default id of a device, or the reason why the device is refused.
std::string default_id(const DeviceFacts& facts, const std::string& match) {
  Inventory inventory(plan_of("  - {name: a.io/x, match: {" + match + "}, devices: []}\n"));
  inventory.apply(shared(facts));
  const Resolution& resolution = inventory.resolve(kStart);
  if (!all_refusals(resolution).empty()) return all_refusals(resolution).front().reason;
  const Strings ids = units(resolution);
  return ids.size() == 1 ? ids.front() : "";
}

TEST(DefaultIds, UseSerialThenSocketThenPciAddressThenName) {
  DeviceFacts facts = serial("ttyUSB0", "");
  EXPECT_EQ(default_id(facts, "subsystem: tty"), "ttyUSB0");
  fake::set(facts, Fact::pci, "address", {"0000:00:14.0"});
  EXPECT_EQ(default_id(facts, "subsystem: tty"), "0000:00:14.0");
  // The socket is preferred to the PCI address.
  fake::set(facts, Fact::usb, "socket", {"0000:00:14.0-usbv3-2.4"});
  EXPECT_EQ(default_id(facts, "subsystem: tty"), "0000:00:14.0-usbv3-2.4");
  fake::set(facts, Fact::usb, "socket", {"0000:00:14.0-usbv2-2.4"});
  EXPECT_EQ(default_id(facts, "subsystem: tty"), "0000:00:14.0-usbv2-2.4");
  fake::set(facts, Fact::usb, "interface", {"01"});
  EXPECT_EQ(default_id(facts, "subsystem: tty"), "0000:00:14.0-usbv2-2.4:01");
  fake::set(facts, Fact::usb, "serial", {"LAB 42"});
  EXPECT_EQ(default_id(facts, "subsystem: tty"), "LAB_42:01");
  // This serial cannot be an id, so the socket is used.
  fake::set(facts, Fact::usb, "serial", {"LAB\n42"});
  EXPECT_EQ(default_id(facts, "subsystem: tty"), "0000:00:14.0-usbv2-2.4:01");
}

TEST(DefaultIds, DistinguishDevicesOnSameHardware) {
  DeviceFacts facts = serial("sda1", "");
  fake::set(facts, Fact::pci, "address", {"0000:00:1f.2"});
  fake::set(facts, Fact::identity, "place", {"ata2"});
  EXPECT_EQ(default_id(facts, "subsystem: tty"), "0000:00:1f.2:ata2");
  fake::set(facts, Fact::identity, "part", {"p1"});
  EXPECT_EQ(default_id(facts, "subsystem: tty"), "0000:00:1f.2:ata2:p1");
  // The serial of a disk replaces `place`, the port, because the serial is the same at any port.
  fake::set(facts, Fact::identity, "serial", {"naa.5000c500dc012345"});
  EXPECT_EQ(default_id(facts, "subsystem: tty"), "naa.5000c500dc012345:p1");
  fake::set(facts, Fact::usb, "serial", {"LAB1"});
  fake::set(facts, Fact::usb, "interface", {"00"});
  fake::set(facts, Fact::identity, "place", {"lun1"});
  EXPECT_EQ(default_id(facts, "subsystem: tty"), "LAB1:00:lun1:p1");
  // A value with a control character is not used.
  fake::set(facts, Fact::identity, "place", {"a\nb"});
  EXPECT_EQ(default_id(facts, "subsystem: tty"), "LAB1:00:p1");
}

TEST(DefaultIds, OfPathsAndDirectoriesAreTheirNames) {
  EXPECT_EQ(default_id(found("/run/lab/*", "/run/lab/line1"), "glob: /run/lab/*"), "line1");
  DeviceFacts led = found("/sys/class/leds/*", "/sys/class/leds/red");
  led.kind = DeviceKind::sysfs_directory;
  EXPECT_EQ(default_id(led, "sysfs: /sys/class/leds/*"), "red");
}

TEST(DefaultIds, NeedTheirFactsOnlyIfTheGroupHasNoId) {
  const auto wanted_of = [](const std::string& group) {
    const auto query = rules::host_query(plan_of("  - {name: a.io/x, " + group + "}\n"));
    return query->wanted(serial("ttyUSB0", ""));
  };
  const WantedFacts wanted = wanted_of("match: {subsystem: tty}");
  EXPECT_EQ(fake::names(wanted, Fact::usb), (Strings{"interface", "serial", "socket"}));
  EXPECT_EQ(fake::names(wanted, Fact::pci), Strings{"address"});
  EXPECT_EQ(fake::names(wanted, Fact::identity), (Strings{"part", "place", "serial"}));
  EXPECT_FALSE(wanted_of("match: {subsystem: tty}, id: $(name)").wants(Fact::usb));
}

/// Without sharing, two inventories of the same host would use twice the memory.
TEST(Inventory, SharesEqualFactsAndUnitsWithNextInventory) {
  Inventory inventory(plan_of(kSerials));
  inventory.apply(shared(serial("ttyUSB0", "A")));
  inventory.apply(shared(serial("ttyUSB1", "B")));
  const auto unit = inventory.offer().at(0)->at(0);
  Inventory next(rules::reuse_unchanged(plan_of(kSerials), *inventory.plan()), &inventory);
  next.apply(shared(serial("ttyUSB0", "A")));
  next.apply(shared(serial("ttyUSB1", "another")));
  ASSERT_EQ(next.offer().at(0)->size(), 2U);
  EXPECT_EQ(next.offer().at(0)->at(0), unit);
  EXPECT_EQ(next.offer().at(0)->at(1)->id, "another");
  // If the plan of the resource differs, the facts are shared, but not the units.
  Inventory changed(plan_of(kSerials + "    envs: {A: B}\n"), &inventory);
  changed.apply(shared(serial("ttyUSB0", "A")));
  const auto other = changed.offer().at(0)->at(0);
  EXPECT_NE(other, unit);
  EXPECT_EQ(other->members->devices.front().facts, unit->members->devices.front().facts);
}

}  // namespace
}  // namespace patchbay::inventory
