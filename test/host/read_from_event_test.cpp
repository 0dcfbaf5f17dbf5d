#include <sched.h>
#include <sys/mount.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "fake/facts.h"
#include "fake/sysfs_tree.h"
#include "host/facts/device_ancestry.h"
#include "host/facts/fact_reader.h"
#include "host/facts/nonblocking_sysfs.h"
#include "host/facts/sysfs_files.h"
#include "loop/may_block.h"

namespace patchbay::host {
namespace {

const std::string kNullDevice = "/sys/devices/virtual/mem/null";

/// A device with a driver, on any bus; empty if there is none.
std::string bound_device() {
  for (const auto& bus : std::filesystem::directory_iterator("/sys/bus")) {
    for (const auto& device : std::filesystem::directory_iterator(bus.path() / "devices")) {
      if (exists(device.path() / "driver")) return canonical(device.path());
    }
  }
  return {};
}

/// Reads the facts of /dev/null from an event of the kernel.
class ReadFromEventTest : public testing::Test {
 protected:
  void SetUp() override {
    sysfs.learn();
    event_facts.key = kNullDevice;
    event_facts.name = "null";
    event_facts.subsystem = "mem";
    event_facts.devnode = "/dev/null";
    event_facts.number = {.block = false, .major = 1, .minor = 3};
  }

  [[nodiscard]] FactReader reader(const WantedFacts& wanted) const {
    HostQuery query = base_query;
    query.subsystems = {"mem"};
    query.wanted = [wanted](const DeviceFacts&) { return wanted; };
    return {std::make_shared<const HostQuery>(std::move(query)), {}};
  }
  /// Reads as on a thread that must not block.
  [[nodiscard]] std::optional<Reading> read_event(const WantedFacts& wanted,
                                                  const Target& target) const {
    const FactReader its_reader = reader(wanted);
    const loop::MayBlock never(false);
    return its_reader.try_read_from_event(target, event_facts, sysfs);
  }
  [[nodiscard]] std::optional<Reading> read_event(const WantedFacts& wanted) const {
    return read_event(wanted, {.key = event_facts.key});
  }

  HostQuery base_query;
  NonblockingSysfs sysfs;
  DeviceFacts event_facts;
};

TEST_F(ReadFromEventTest, FactsFromEventEqualThoseOfBlockingRead) {
  if (!sysfs.has(kNullDevice)) GTEST_SKIP() << "the kernel knows no openat2()";
  for (const WantedFacts& wanted :
       {fake::wanting({}),
        fake::wanting({{Fact::driver}, {Fact::numa_node}, {Fact::iommu_group}})}) {
    const loop::Time now{std::chrono::seconds(5)};
    const auto reading = read_event(wanted, {.key = kNullDevice, .event_time = now});
    ASSERT_TRUE(reading && reading->facts);
    const Reading read = reader(wanted).read({.key = kNullDevice});
    EXPECT_EQ(*reading->facts, *read.facts);
    EXPECT_EQ(reading->record_id, read.record_id);
    EXPECT_EQ(reading->event_time, now);
  }
}

TEST_F(ReadFromEventTest, ReportsARemovedDevice) {
  if (!sysfs.has(kNullDevice)) GTEST_SKIP() << "the kernel knows no openat2()";
  event_facts.key = "/sys/devices/virtual/mem/gone";
  const auto reading = read_event(fake::wanting({}));
  ASSERT_TRUE(reading);
  EXPECT_FALSE(reading->facts);
}

TEST_F(ReadFromEventTest, DoesNotReadIrrelevantDevices) {
  const auto reading = read_event(WantedFacts{});
  ASSERT_TRUE(reading);
  EXPECT_FALSE(reading->facts);
}

TEST_F(ReadFromEventTest, FailsWhenADriverMustBeAsked) {
  EXPECT_FALSE(read_event(fake::wanting({{Fact::attribute, "dev"}})));
  EXPECT_FALSE(read_event(fake::wanting({{Fact::property, "ID_SERIAL"}})));
  EXPECT_FALSE(read_event(fake::wanting({{Fact::usb, "serial"}})));
  WantedFacts above = fake::wanting({});
  above.above.push_back(fake::wanting({}));
  EXPECT_FALSE(read_event(above));
  EXPECT_FALSE(read_event(fake::wanting({}),
                          {.key = kNullDevice, .found_by = {{kNullDevice, kNullDevice}}}));
}

/// Which files a rule reads can depend on other conditions, and on facts that were not read.
TEST_F(ReadFromEventTest, FailsWhenRulesNeedFiles) {
  const std::string bound = bound_device();
  if (bound.empty()) GTEST_SKIP() << "no device has a driver here";
  event_facts.key = bound;
  event_facts.subsystem = link_name({}, bound + "/subsystem").value();
  if (!sysfs.has(bound)) GTEST_SKIP() << "the kernel knows no openat2()";
  EXPECT_TRUE(read_event(fake::wanting({{Fact::driver}})));
  base_query.files = [](const DeviceFacts& facts) {
    return std::vector<std::string>(facts.known.has(Fact::driver) ? 1 : 0, "/etc/hostname");
  };
  EXPECT_FALSE(read_event(fake::wanting({{Fact::driver}})));
}

/// The kernel reports a module like a device: "add@/module/zram" with SUBSYSTEM=module.
TEST_F(ReadFromEventTest, FailsForDirectoryThatIsNoDevice) {
  if (!sysfs.has(kNullDevice)) GTEST_SKIP() << "the kernel knows no openat2()";
  for (const std::string key : {"/sys/bus/platform", "/sys/devices/virtual/mem"}) {
    ASSERT_EQ(sysfs.has(key), true);
    event_facts.key = key;
    event_facts.subsystem = "bus";
    EXPECT_FALSE(read_event(fake::wanting({}))) << key;
  }
}

/// udev's record of an interface is named by its index, which is not in the event's facts.
TEST_F(ReadFromEventTest, FailsForNetworkInterfaces) {
  event_facts.subsystem = "net";
  EXPECT_FALSE(read_event(fake::wanting({})));
}

TEST_F(ReadFromEventTest, FailsBeforeSysfsIsLearned) {
  EXPECT_FALSE(reader(fake::wanting({}))
                   .try_read_from_event({.key = kNullDevice}, event_facts, NonblockingSysfs()));
}

TEST(NonblockingSysfsTest, DoesNotAnswerForAMountOverADevice) {
  NonblockingSysfs here;
  here.learn();
  if (!here.has(kNullDevice)) GTEST_SKIP() << "the kernel knows no openat2()";
  bool may_mount = false;
  std::thread([&may_mount] {  // Only this thread sees the mount.
    may_mount = ::unshare(CLONE_FS | CLONE_NEWNS) == 0 &&
                ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
    if (!may_mount) return;
    NonblockingSysfs sysfs;
    sysfs.learn();
    ASSERT_EQ(sysfs.has(kNullDevice), true);
    ASSERT_EQ(::mount("none", kNullDevice.c_str(), "tmpfs", 0, nullptr), 0);
    EXPECT_EQ(sysfs.has(kNullDevice), std::nullopt);
    EXPECT_EQ(sysfs.has(kNullDevice + "/power"), std::nullopt);
    EXPECT_EQ(sysfs.has("/sys/devices/virtual/mem/zero"), true);
    ASSERT_EQ(::mount("none", "/sys", "tmpfs", 0, nullptr), 0);
    sysfs.learn();
    EXPECT_EQ(sysfs.has("/sys/devices/virtual/mem/zero"), std::nullopt) << "that is no sysfs";
  })
      .join();
  if (!may_mount) GTEST_SKIP() << "no mount namespace of one's own here";
}

TEST(NonblockingSysfsTest, DoesNotAnswerForLinksAndOtherDirectories) {
  NonblockingSysfs sysfs;
  sysfs.learn();
  EXPECT_EQ(sysfs.has("/sys/class/mem/null"), std::nullopt);
  EXPECT_EQ(sysfs.has("/proc/self"), std::nullopt);
}

/// For simulated machines.
class DriverlessReadTest : public testing::Test {
 protected:
  [[nodiscard]] std::optional<std::string> numa_node(const std::string& device) const {
    return DeviceAncestry(DeviceTree({}, tree.root()), tree.syspath(device))
        .try_read({Fact::numa_node});
  }
  fake::SysfsTree tree;
};

TEST_F(DriverlessReadTest, ReadsTheNumaNodeOfTheBus) {
  tree.add("pci0000:00/0000:00:14.0", "pci", {{"numa_node", "1"}});
  tree.add("pci0000:00/0000:00:14.0/tty/ttyS9", "tty");
  EXPECT_EQ(numa_node("pci0000:00/0000:00:14.0/tty/ttyS9"), "1");
  tree.add("platform/serial", "platform", {{"numa_node", "-1"}});
  EXPECT_EQ(numa_node("platform/serial"), "");
  tree.add("virtual/mem/null", "mem");
  EXPECT_EQ(numa_node("virtual/mem/null"), "");
}

TEST_F(DriverlessReadTest, DoesNotAskADriver) {
  tree.add("pci0000:00/0000:00:14.0", "pci", {{"numa_node", "1"}});
  tree.add("pci0000:00/0000:00:14.0/bench/bench0", "bench", {{"numa_node", "0"}});
  EXPECT_EQ(numa_node("pci0000:00/0000:00:14.0/bench/bench0"), std::nullopt);
}

TEST_F(DriverlessReadTest, ReadsIommuGroupLinkButNoFiles) {
  tree.add("pci0000:00/0000:00:14.0", "pci", {{"vendor", "0x8086"}});
  tree.link("pci0000:00/0000:00:14.0/iommu_group", "../../../kernel/iommu_groups/7");
  DeviceAncestry surroundings(DeviceTree({}, tree.root()), tree.syspath("pci0000:00/0000:00:14.0"));
  EXPECT_EQ(surroundings.try_read({Fact::iommu_group}), "7");
  EXPECT_EQ(surroundings.try_read({Fact::pci, "vendor"}), std::nullopt);
}

}  // namespace
}  // namespace patchbay::host
