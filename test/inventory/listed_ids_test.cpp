#include "fake/facts.h"
#include "inventory/inventory_fixture.h"

/// Tests that a listed unit keeps its id while other units appear.
namespace patchbay::inventory {
namespace {

const std::string kAdapters =
    "  - {name: a.io/serial, match: {subsystem: tty}, id: $(property.SERIAL)}\n";

std::string key(const std::string& name) { return "/sys/devices/usb/" + name; }

class ListedIds : public testing::Test {
 protected:
  void start(const std::string& resources) {
    inventory = std::make_unique<Inventory>(plan_of(resources));
  }
  void come(const DeviceFacts& facts) { inventory->apply(shared(facts)); }
  const Resolution& resolve() { return inventory->resolve(kStart); }
  /// The names of the refused devices.
  Strings refused() {
    Strings names;
    for (const Refusal& refusal : all_refusals(resolve())) {
      names.push_back(refusal.device.substr(refusal.device.rfind('/') + 1));
    }
    return names;
  }

  std::unique_ptr<Inventory> inventory;
};

TEST_F(ListedIds, NewUnitWithListedIdIsRefused) {
  start(kAdapters);
  come(serial("ttyUSB5", "0001"));
  EXPECT_EQ(units(resolve()), Strings{"0001"});
  const SnapshotPtr before = resolve().resources.at(0).snapshot;
  for (const std::string name : {"ttyUSB1", "ttyUSB9"}) come(serial(name, "0001"));
  EXPECT_EQ(resolve().resources.at(0).snapshot, before);
  const std::string reason =
      "]: the id '0001' is also the id of /sys/devices/usb/ttyUSB5, which is already listed";
  EXPECT_EQ(refusals(resolve()), (Strings{"0 " + key("ttyUSB1") + " [0001" + reason,
                                          "0 " + key("ttyUSB9") + " [0001" + reason}));
}

TEST_F(ListedIds, EqualIdsAtStartAreAllRefused) {
  start(kAdapters);
  for (const std::string name : {"ttyUSB1", "ttyUSB2"}) come(serial(name, "0001"));
  EXPECT_EQ(units(resolve()), Strings{});
  EXPECT_EQ(refused(), (Strings{"ttyUSB1", "ttyUSB2"}));
  // No unit with this id is listed, so a third device is refused, too.
  come(serial("ttyUSB3", "0001"));
  EXPECT_EQ(units(resolve()), Strings{});
}

TEST_F(ListedIds, IdIsFreeAfterListedDeviceIsRemoved) {
  start(kAdapters);
  come(serial("ttyUSB1", "0001"));
  resolve();
  come(serial("ttyUSB2", "0001"));
  EXPECT_EQ(devices_of(resolve(), "0001"), Strings{"ttyUSB1"});
  inventory->remove(key("ttyUSB1"));
  EXPECT_EQ(devices_of(resolve(), "0001"), Strings{"ttyUSB2"});
  come(serial("ttyUSB1", "0001"));
  EXPECT_EQ(devices_of(resolve(), "0001"), Strings{"ttyUSB2"});
  EXPECT_EQ(refused(), Strings{"ttyUSB1"});
}

TEST_F(ListedIds, ListedDeviceKeepsItsIdWhileItsFactsChange) {
  start(kAdapters);
  come(serial("ttyUSB1", "0001"));
  resolve();
  DeviceFacts changed = serial("ttyUSB1", "0001");
  fake::set(changed, Fact::property, "COLOUR", {"red"});
  fake::set(changed, Fact::link, {"/dev/red"});
  come(serial("ttyUSB0", "0001"));
  come(changed);
  EXPECT_EQ(devices_of(resolve(), "0001"), Strings{"ttyUSB1"});
  // The listed device gets another id, so the first id is free.
  come(serial("ttyUSB1", "0002"));
  EXPECT_EQ(devices_of(resolve(), "0001"), Strings{"ttyUSB0"});
  EXPECT_EQ(devices_of(resolve(), "0002"), Strings{"ttyUSB1"});
}

TEST_F(ListedIds, FirstRemainingDeviceKeepsIdOfUnit) {
  start(
      "  - {name: a.io/card, match: {subsystem: video4linux}, by: $(usb.socket), size: 1+, id: "
      "same}\n");
  come(video("video1", "1"));
  come(video("video2", "1"));
  resolve();
  come(video("video0", "2"));
  EXPECT_EQ(devices_of(resolve(), "same"), (Strings{"video1", "video2"}));
  inventory->remove(video("video1", "1").key);
  EXPECT_EQ(devices_of(resolve(), "same"), Strings{"video2"});
  // video1 joins the listed unit again, and the unit keeps its id.
  come(video("video1", "1"));
  EXPECT_EQ(devices_of(resolve(), "same"), (Strings{"video1", "video2"}));
}

TEST_F(ListedIds, SurviveReload) {
  start(kAdapters);
  come(serial("ttyUSB1", "0001"));
  resolve();
  Inventory next(plan_of(
      "  - {name: a.io/new, match: {subsystem: net}, id: $(name)}\n"
      "  - {name: a.io/serial, match: {subsystem: tty}, id: $(property.SERIAL), envs: {A: b}}\n"));
  next.inherit(*inventory);
  for (const std::string name : {"ttyUSB0", "ttyUSB1"}) next.apply(shared(serial(name, "0001")));
  next.resolve(kStart);
  EXPECT_EQ(devices_of(next.last(), "0001", 1), Strings{"ttyUSB1"});
}

TEST_F(ListedIds, NewSharesDoNotTakeListedId) {
  start(
      "  - name: a.io/serial\n    id: $(property.SERIAL)\n    groups:\n"
      "      - match: {subsystem: tty}\n"
      "      - {match: {subsystem: sound}, id: $(name), share: {count: 2}}\n");
  come(serial("ttyUSB1", "pcm0::1"));
  come(serial("ttyUSB2", "pcm0::2"));
  EXPECT_EQ(units(resolve()), (Strings{"pcm0::1", "pcm0::2"}));
  come(sound("pcm0"));
  EXPECT_EQ(units(resolve()), (Strings{"pcm0::1", "pcm0::2"}));
  EXPECT_EQ(refusals(resolve()),
            Strings{"0 /sys/devices/1/pcm0 [pcm0]: the id 'pcm0::1' of a share is also the id of "
                    "/sys/devices/usb/ttyUSB1, which is already listed"});
  inventory->remove(key("ttyUSB1"));
  EXPECT_EQ(units(resolve()), (Strings{"pcm0", "pcm0::2"}));
  come(serial("ttyUSB1", "pcm0::1"));
  EXPECT_EQ(refused(), Strings{"ttyUSB1"});
}

TEST_F(ListedIds, NewUnitAboveLimitDoesNotDisplaceListedUnits) {
  start("  - {name: a.io/a, match: {glob: /x/*}, id: $(name), share: {count: 10000}}\n");
  for (const std::string name : {"1", "2", "3", "4"}) come(found("/x/*", "/x/" + name));
  EXPECT_EQ(units(resolve()), (Strings{"1", "2", "3", "4"}));
  come(found("/x/*", "/x/0"));
  EXPECT_EQ(units(resolve()), (Strings{"1", "2", "3", "4"}));
  EXPECT_EQ(refused(), Strings{"0"});
}

TEST_F(ListedIds, MayBeEqualInTwoResources) {
  start(
      "  - {name: a.io/a, match: {subsystem: tty}, id: same}\n"
      "  - {name: a.io/b, match: {subsystem: drm}, id: same}\n");
  come(usb_child("drm", "card0", "1"));
  EXPECT_EQ(units(resolve(), 1), Strings{"same"});
  come(usb_child("tty", "tty0", "1"));
  EXPECT_EQ(units(resolve(), 0), Strings{"same"});
  EXPECT_EQ(units(resolve(), 1), Strings{"same"});
  EXPECT_EQ(refusals(resolve()), Strings{});
  // The units of the two resources are lost independently.
  inventory->remove(usb_child("tty", "tty0", "1").key);
  EXPECT_EQ(units(resolve(), 0), Strings{"same: the device is gone"});
  EXPECT_EQ(units(resolve(), 1), Strings{"same"});
}

TEST_F(ListedIds, DefaultIdsOfOnePciFunctionMayBeEqual) {
  DeviceFacts nic = usb_child("net", "eth0", "1");
  DeviceFacts hca = usb_child("infiniband", "mlx5_0", "1");
  for (DeviceFacts* facts : {&nic, &hca}) {
    fake::drop(*facts, Fact::usb);
    fake::set(*facts, Fact::pci, "address", {"0000:3b:00.0"});
  }
  start(
      "  - {name: a.io/nic, match: {subsystem: net}}\n"
      "  - {name: a.io/hca, match: {subsystem: infiniband}}\n");
  come(nic);
  come(hca);
  EXPECT_EQ(units(resolve(), 0), Strings{"0000:3b:00.0"});
  EXPECT_EQ(units(resolve(), 1), Strings{"0000:3b:00.0"});
}

}  // namespace
}  // namespace patchbay::inventory
