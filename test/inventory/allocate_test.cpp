#include "inventory/allocate.h"

#include "inventory/inventory_fixture.h"
#include "inventory/unit_checks.h"

namespace patchbay::inventory {
namespace {

using Envs = std::map<std::string, std::string>;
using Devices = std::vector<AllocatedDevice>;

bool everything(const std::string&, bool) { return true; }

/// For a resource with the adapters ttyUSB0 (serial A), ttyUSB10 (C) and ttyUSB2 (B).
class AllocateTest : public testing::Test {
 protected:
  SnapshotPtr snapshot(const std::string& keys) {
    Inventory inventory(
        plan_of("  - name: a.io/serial\n    match: {subsystem: tty}\n"
                "    id: $(name)\n" +
                keys));
    inventory.apply(shared(serial("ttyUSB0", "A")));
    inventory.apply(shared(serial("ttyUSB10", "C")));
    inventory.apply(shared(serial("ttyUSB2", "B")));
    EXPECT_EQ(units(inventory.resolve(kStart)), (Strings{"ttyUSB0", "ttyUSB2", "ttyUSB10"}));
    return inventory.last().resources.at(0).snapshot;
  }
  Allocation all(const std::string& keys) {
    const Strings ids{"ttyUSB10", "ttyUSB0", "ttyUSB2", "ttyUSB0"};
    auto allocation = allocate(*snapshot(keys), ids, everything);
    EXPECT_TRUE(allocation) << allocation.error().message;
    return *allocation;
  }
  std::string failure(const std::string& keys, const Strings& ids) {
    const auto allocation = allocate(*snapshot(keys), ids, everything);
    return allocation ? "" : allocation.error().message;
  }
};

TEST(AllocateGophers, GetIdsInOneVariable) {
  Inventory inventory(
      plan_of("  - name: lixueduan.com/gopher\n    match: {glob: /etc/gophers/*, type: file}\n"
              "    id: $(name)\n    envs: {Gopher: $(id)}\n"));
  for (const std::string name : {"g2", "g1", "g10"}) {
    inventory.apply(shared(found("/etc/gophers/*", "/etc/gophers/" + name)));
  }
  const auto& snapshot = inventory.resolve(kStart).resources.at(0).snapshot;
  const auto allocation = allocate(*snapshot, Strings{"g2", "g1"}, everything);
  ASSERT_TRUE(allocation);
  EXPECT_EQ(allocation->envs, (Envs{{"Gopher", "g1,g2"}}));
  EXPECT_TRUE(allocation->devices.empty());
}

TEST(DefaultDeviceNodes, ExistOnlyForCharacterAndBlockDevices) {
  Inventory inventory(plan_of("  - {name: a.io/x, match: {glob: /dev/*}, id: $(name)}\n"));
  DeviceFacts node = found("/dev/*", "/dev/kvm", PathType::character_device);
  node.number = DeviceNumber{false, 10, 232};
  inventory.apply(shared(node));
  inventory.apply(shared(found("/dev/*", "/dev/log", PathType::socket)));
  const auto& snapshot = inventory.resolve(kStart).resources.at(0).snapshot;
  EXPECT_EQ(allocate(*snapshot, Strings{"kvm", "log"}, everything)->devices,
            (Devices{{"/dev/kvm", "/dev/kvm", "rw"}}));
}

TEST_F(AllocateTest, AddsDeviceNodesByDefault) {
  EXPECT_EQ(all("").devices, (Devices{{"/dev/ttyUSB0", "/dev/ttyUSB0", "rw"},
                                      {"/dev/ttyUSB2", "/dev/ttyUSB2", "rw"},
                                      {"/dev/ttyUSB10", "/dev/ttyUSB10", "rw"}}));
  EXPECT_TRUE(all("    devices: []\n").devices.empty());
}

TEST_F(AllocateTest, AddsConstantsOncePerContainer) {
  const Allocation allocation = all(
      "    devices: [{hostPath: /dev/kfd, permissions: mrw}, /dev/kfd2]\n"
      "    mounts: [{hostPath: /opt/$(node)}, {hostPath: /a, containerPath: /b, readOnly: false}]\n"
      "    envs: {NODE: $(node), R: $(resource), PATH_X: 'a,b'}\n"
      "    annotations: {a.io/bench: $(node)}\n");
  EXPECT_EQ(allocation.devices,
            (Devices{{"/dev/kfd", "/dev/kfd", "rwm"}, {"/dev/kfd2", "/dev/kfd2", "rw"}}));
  EXPECT_EQ(allocation.mounts, (std::vector<AllocatedMount>{{"/opt/bench-1", "/opt/bench-1", true},
                                                            {"/a", "/b", false}}));
  EXPECT_EQ(allocation.envs, (Envs{{"NODE", "bench-1"}, {"PATH_X", "a,b"}, {"R", "a.io/serial"}}));
  EXPECT_EQ(allocation.annotations, (Envs{{"a.io/bench", "bench-1"}}));
}

TEST_F(AllocateTest, SlotCountsRepetitionsOfPathAndEnvName) {
  const Allocation allocation =
      all("    devices:\n"
          "      - {hostPath: $(devnode), containerPath: /dev/uart$(slot)}\n"
          "      - {hostPath: $(link.by-id), containerPath: /dev/uart$(slot)}\n"
          "      - {hostPath: $(devnode), containerPath: /dev/other$(slot)}\n"
          "    envs: {UART_$(slot): /dev/uart$(slot), LIST: {value: $(slot), join: \" \"}}\n");
  Strings containers;
  for (const AllocatedDevice& device : allocation.devices) {
    containers.push_back(device.container_path + "=" + device.host_path);
  }
  EXPECT_EQ(
      containers,
      (Strings{"/dev/uart0=/dev/ttyUSB0", "/dev/uart1=/dev/ttyUSB2", "/dev/uart2=/dev/ttyUSB10",
               "/dev/uart3=/dev/serial/by-id/ttyUSB0", "/dev/uart4=/dev/serial/by-id/ttyUSB2",
               "/dev/uart5=/dev/serial/by-id/ttyUSB10", "/dev/other0=/dev/ttyUSB0",
               "/dev/other1=/dev/ttyUSB2", "/dev/other2=/dev/ttyUSB10"}));
  EXPECT_EQ(allocation.envs, (Envs{{"LIST", "0 1 2"},
                                   {"UART_0", "/dev/uart0"},
                                   {"UART_1", "/dev/uart1"},
                                   {"UART_2", "/dev/uart2"}}));
}

TEST_F(AllocateTest, JoinsValuesInIdOrderAcrossGroups) {
  Inventory inventory(plan_of(
      "  - name: a.io/serial\n"
      "    envs: {IDS: $(id), SAME: x}\n"
      "    groups:\n"
      "      - {match: {subsystem: tty, name: \"*10\"}, id: $(name),\n"
      "         devices: [/dev/kfd, {hostPath: $(devnode), containerPath: /dev/u$(slot)}]}\n"
      "      - {match: {subsystem: tty}, id: $(name),\n"
      "         devices: [{hostPath: $(devnode), containerPath: /dev/u$(slot)}]}\n"));
  inventory.apply(shared(serial("tty10", "")));
  inventory.apply(shared(serial("tty9", "")));
  inventory.apply(shared(serial("tty11", "")));
  const auto& snapshot = inventory.resolve(kStart).resources.at(0).snapshot;
  const auto allocation = allocate(*snapshot, Strings{"tty10", "tty11", "tty9"}, everything);
  ASSERT_TRUE(allocation);
  EXPECT_EQ(allocation->envs, (Envs{{"IDS", "tty9,tty10,tty11"}, {"SAME", "x"}}));
  EXPECT_EQ(allocation->devices, (Devices{{"/dev/tty9", "/dev/u0", "rw"},
                                          {"/dev/tty10", "/dev/u1", "rw"},
                                          {"/dev/tty11", "/dev/u2", "rw"},
                                          {"/dev/kfd", "/dev/kfd", "rw"}}));
}

TEST(AllocateSlots, NumberDevicesAndMountsAtOnePathTogether) {
  Inventory inventory(
      plan_of("  - name: a.io/line\n    id: $(name)\n    envs: {LINE_$(slot): $(name)}\n"
              "    groups:\n"
              "      - match: {subsystem: tty}\n"
              "        devices: [{hostPath: $(devnode), containerPath: /lab/line$(slot)}]\n"
              "      - match: {glob: /run/lab/*}\n"
              "        devices: []\n"
              "        mounts: [{hostPath: $(path), containerPath: /lab/line$(slot)}]\n"));
  for (const std::string name : {"line1", "line10"}) inventory.apply(shared(serial(name, "")));
  inventory.apply(shared(found("/run/lab/*", "/run/lab/line2", PathType::socket)));
  const auto answer = allocated(inventory.resolve(kStart), {"line1", "line2", "line10"});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->devices,
            (Devices{{"/dev/line1", "/lab/line0", "rw"}, {"/dev/line10", "/lab/line2", "rw"}}));
  ASSERT_EQ(answer->mounts.size(), 1U);
  EXPECT_EQ(answer->mounts.front().container_path, "/lab/line1");
  EXPECT_EQ(answer->envs, (Envs{{"LINE_0", "line1"}, {"LINE_1", "line2"}, {"LINE_2", "line10"}}));
}

TEST_F(AllocateTest, AddsEqualDevicesOnce) {
  EXPECT_EQ(all("    devices: [/dev/kfd, /dev/kfd, {hostPath: /dev/kfd}]\n").devices.size(), 1U);
}

TEST_F(AllocateTest, FailsOnConflictingEntries) {
  const std::string keys = "    devices: [{hostPath: $(devnode), containerPath: /dev/uart}]\n";
  EXPECT_EQ(failure(keys, {"ttyUSB2"}), "");
  EXPECT_EQ(
      failure(keys, {"ttyUSB2", "ttyUSB10"}),
      "unit 'ttyUSB10': two entries at the container path /dev/uart: device /dev/ttyUSB2 (rw) "
      "and device /dev/ttyUSB10 (rw)");
}

TEST_F(AllocateTest, AddsUdevLinks) {
  EXPECT_EQ(all("    devices: [{hostPath: $(devnode), links: true}]\n").devices.at(1),
            (AllocatedDevice{"/dev/ttyUSB0", "/dev/serial/by-id/ttyUSB0", "rw"}));
}

TEST_F(AllocateTest, OmitsMissingOptionalPaths) {
  const auto made = snapshot(
      "    devices:\n"
      "      - {hostPath: $(devnode), containerPath: /dev/u$(slot), optional: true}\n"
      "      - /dev/gone\n");
  const auto allocation = allocate(
      *made, Strings{"ttyUSB0", "ttyUSB2", "ttyUSB10"},
      [](const std::string& path, bool) { return path != "/dev/ttyUSB0" && path != "/dev/gone"; });
  ASSERT_TRUE(allocation);
  EXPECT_EQ(allocation->devices, (Devices{{"/dev/ttyUSB2", "/dev/u0", "rw", true},
                                          {"/dev/ttyUSB10", "/dev/u1", "rw", true},
                                          {"/dev/gone", "/dev/gone", "rw"}}));
}

TEST_F(AllocateTest, OmitsMissingOptionalMounts) {
  const auto made = snapshot(
      "    devices: []\n"
      "    mounts:\n"
      "      - {hostPath: /run/$(name), containerPath: /run/u$(slot), optional: true}\n"
      "      - {hostPath: /opt/gone}\n");
  const auto allocation = allocate(
      *made, Strings{"ttyUSB0", "ttyUSB2", "ttyUSB10"},
      [](const std::string& path, bool) { return path != "/run/ttyUSB0" && path != "/opt/gone"; });
  ASSERT_TRUE(allocation);
  EXPECT_EQ(allocation->mounts,
            (std::vector<AllocatedMount>{{"/run/ttyUSB2", "/run/u0", true, true},
                                         {"/run/ttyUSB10", "/run/u1", true, true},
                                         {"/opt/gone", "/opt/gone", true}}));
}

TEST_F(AllocateTest, OptionalDeviceThatIsNoDeviceNodeIsOmitted) {
  const auto made = snapshot(
      "    devices: [{hostPath: /srv/data, optional: true}]\n"
      "    mounts: [{hostPath: /srv/data, containerPath: /data, optional: true}]\n");
  const auto allocation =
      allocate(*made, Strings{"ttyUSB0"}, [](const std::string&, bool device) { return !device; });
  ASSERT_TRUE(allocation) << allocation.error().message;
  EXPECT_EQ(allocation->devices, Devices{});
  EXPECT_EQ(allocation->mounts, (std::vector<AllocatedMount>{{"/srv/data", "/data", true, true}}));
}

TEST_F(AllocateTest, HealthChecksOmitOptionalPaths) {
  const auto made = snapshot(
      "    devices: [{hostPath: $(devnode), optional: true}]\n"
      "    mounts: [{hostPath: /opt/lib}, {hostPath: /opt/more, optional: true}]\n");
  EXPECT_EQ(made->find("ttyUSB0")->checks->paths, (std::vector<NeededPath>{{"/opt/lib", false}}));
}

TEST_F(AllocateTest, ProbesUseValuesOfTheirUnit) {
  const auto made = snapshot("    health: [{open: $(devnode)}, {open: /dev/null}]\n");
  const auto& first = made->find("ttyUSB0")->checks->probes;
  const auto& second = made->find("ttyUSB2")->checks->probes;
  ASSERT_EQ(first.size(), 2U);
  ASSERT_EQ(second.size(), 2U);
  EXPECT_EQ(first[0].probe, 0U);
  EXPECT_EQ(first[1].probe, 1U);
  EXPECT_NE(first[0], second[0]) << "of its own device";
  EXPECT_EQ(first[1], second[1]);
}

TEST_F(AllocateTest, HealthCheckOfOwnNodeHasItsDeviceNumber) {
  const auto needed = [](const std::string& host_path) {
    Inventory inventory(
        plan_of("  - {name: a.io/s, match: {subsystem: tty}, id: $(name),\n"
                "     devices: [{hostPath: " +
                host_path + ", containerPath: /dev/u}]}\n"));
    DeviceFacts facts = serial("ttyUSB0", "A");
    facts.number = DeviceNumber{false, 188, 0};
    inventory.apply(shared(facts));
    const auto snapshot = inventory.resolve(kStart).resources.at(0).snapshot;
    return snapshot->find("ttyUSB0")->checks->paths;
  };
  const DeviceNumber own{false, 188, 0};
  const std::string link = "/dev/serial/by-id/ttyUSB0";
  EXPECT_EQ(needed("$(link.by-id)"), (std::vector<NeededPath>{{link, true, own, true}}));
  EXPECT_EQ(needed("$(devnode)"), (std::vector<NeededPath>{{"/dev/ttyUSB0", true, own, false}}));
  EXPECT_EQ(needed("/dev/kfd"), (std::vector<NeededPath>{{"/dev/kfd", true}}));
}

TEST_F(AllocateTest, RejectsUnknownAndUnhealthyUnits) {
  EXPECT_EQ(failure("", {"ttyUSB0", "x\ny"}), "a.io/serial has no unit 'x\\x0ay'");
  Inventory inventory(plan_of("  - {name: a.io/s, match: {subsystem: tty}, id: $(name)}\n"));
  inventory.apply(shared(serial("ttyUSB0", "A")));
  inventory.resolve(kStart);
  inventory.remove("/sys/devices/usb/ttyUSB0");
  const auto& snapshot = inventory.resolve(kStart).resources.at(0).snapshot;
  EXPECT_EQ(allocate(*snapshot, Strings{"ttyUSB0"}, everything).error().message,
            "unit 'ttyUSB0' is unhealthy: the device is gone");
}

TEST_F(AllocateTest, UnitWithTwoSeparatorsForOneEnvIsRefused) {
  Inventory inventory(
      plan_of("  - {name: a.io/s, match: {subsystem: tty}, id: $(name), "
              "envs: {\"X_$(slot)\": a, X_0: {value: $(id), join: \" \"}}}\n"));
  inventory.apply(shared(serial("ttyUSB0", "A")));
  EXPECT_EQ(refusals(inventory.resolve(kStart)),
            Strings{"0 /sys/devices/usb/ttyUSB0 [ttyUSB0]: env 'X_0' has two separators: ',' and "
                    "' '"});
}

TEST_F(AllocateTest, FailsIfResponseIsTooLarge) {
  Inventory inventory(plan_of(
      "  - {name: a.io/s, match: {subsystem: tty}, id: $(name), envs: {X: $(property.SERIAL)}}\n"));
  Strings ids;
  for (int i = 0; i < 1000; ++i) {
    ids.push_back("tty" + std::to_string(i));
    inventory.apply(shared(serial(ids.back(), std::string(4000, 'x'))));
  }
  const auto& snapshot = inventory.resolve(kStart).resources.at(0).snapshot;
  EXPECT_EQ(allocate(*snapshot, ids, everything).error().message,
            "the response is larger than the kubelet accepts");
}

}  // namespace
}  // namespace patchbay::inventory
