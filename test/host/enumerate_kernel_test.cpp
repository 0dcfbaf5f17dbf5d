#include <algorithm>
#include <filesystem>

#include "fake/facts.h"
#include "host/facts/device_list.h"
#include "host/kernel_fixture.h"

namespace patchbay::host {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Key;

using EnumerateTest = KernelTest;

TEST_F(EnumerateTest, FindsTheDevicesOfTheHost) {
  start(subsystems({"mem", "net"}), {.watch = false});
  const DeviceFacts& null = *listener.devices.at("/sys/devices/virtual/mem/null");
  EXPECT_EQ(null.kind, DeviceKind::kernel_device);
  EXPECT_EQ(null.name, "null");
  EXPECT_EQ(null.subsystem, "mem");
  EXPECT_EQ(null.devnode, "/dev/null");
  EXPECT_EQ(null.number, (DeviceNumber{.block = false, .major = 1, .minor = 3}));
  EXPECT_EQ(listener.named("lo")->subsystem, "net");
  EXPECT_EQ(listener.log.back(), "first scan done");
}

TEST_F(EnumerateTest, SubsystemsMayBePatterns) {
  start(subsystems({"me*"}), {.watch = false});
  EXPECT_THAT(listener.devices, Contains(Key("/sys/devices/virtual/mem/null")));
  EXPECT_EQ(listener.named("lo"), nullptr);
}

TEST_F(EnumerateTest, FindsAllDevices) {
  start(subsystems({"*"}), {.watch = false});
  EXPECT_EQ(listener.devices.size(), list_kernel_devices({}, {"*"}).size());
  EXPECT_EQ(host->event_counts().reads, listener.devices.size());
}

TEST_F(EnumerateTest, ReadsOnlyWantedFacts) {
  HostQuery query = subsystems({"mem"});
  query.wanted = [](const DeviceFacts& cheap) {
    WantedFacts wanted;
    wanted.relevant = cheap.name == "null";
    wanted.add(Fact::attribute, "dev");
    wanted.add(Fact::attribute, "nothing");
    wanted.add(Fact::property, "DEVNAME");
    wanted.add(Fact::property, "NOTHING");
    return wanted;
  };
  start(std::move(query), {.watch = false});
  EXPECT_THAT(listener.keys(), ElementsAre("/sys/devices/virtual/mem/null"));
  const DeviceFacts& null = *listener.named("null");
  EXPECT_THAT(fake::lists(null, Fact::attribute),
              ElementsAre(testing::Pair("dev", ElementsAre("1:3"))));
  EXPECT_THAT(fake::named(null, Fact::property),
              ElementsAre(testing::Pair("DEVNAME", "/dev/null")));
}

TEST_F(EnumerateTest, InterfaceThatIsDownHasNoCarrierAttribute) {
  SKIP_IF(fake::VethPair::unavailable());
  const fake::VethPair veth("pbhost0", "pbhost1");
  HostQuery query = subsystems({"net"});
  query.wanted = [](const DeviceFacts&) {
    WantedFacts wanted;
    wanted.relevant = true;
    wanted.add(Fact::attribute, "address");
    wanted.add(Fact::attribute, "carrier");
    return wanted;
  };
  start(std::move(query), {.watch = false});
  EXPECT_THAT(fake::lists(*listener.named("pbhost0"), Fact::attribute),
              ElementsAre(Key("address")));
}

TEST_F(EnumerateTest, SysfsPatternFindsDevicesAndDirectories) {
  HostQuery query;
  query.sysfs_patterns = {"/sys/class/net/l[o]", "/sys/class/net/lo", "/sys/kernel/mm/*"};
  start(std::move(query), {.watch = false});
  const DeviceFacts& lo = *listener.devices.at("/sys/devices/virtual/net/lo");
  EXPECT_EQ(lo.kind, DeviceKind::kernel_device);
  EXPECT_EQ(lo.subsystem, "net");
  EXPECT_THAT(lo.found_by, ElementsAre(FoundBy{"/sys/class/net/l[o]", "/sys/class/net/lo"},
                                       FoundBy{"/sys/class/net/lo", "/sys/class/net/lo"}));
  const auto directory = std::ranges::find_if(listener.devices, [](const auto& entry) {
    return entry.second->kind == DeviceKind::sysfs_directory;
  });
  ASSERT_NE(directory, listener.devices.end());
  EXPECT_TRUE(directory->first.starts_with("/sys/kernel/mm/"));
  EXPECT_EQ(directory->second->subsystem, "");
}

TEST_F(EnumerateTest, DeviceFoundTwiceIsReportedOnce) {
  HostQuery query = subsystems({"net"});
  query.sysfs_patterns = {"/sys/class/net/*"};
  query.glob_patterns = {"/sys/devices/virtual/net/lo"};
  start(std::move(query), {.watch = false});
  EXPECT_THAT(listener.devices.at("/sys/devices/virtual/net/lo")->found_by,
              ElementsAre(FoundBy{"/sys/class/net/*", "/sys/class/net/lo"},
                          FoundBy{"/sys/devices/virtual/net/lo"}));
}

TEST_F(EnumerateTest, GlobBelowSysFindsPaths) {
  HostQuery query;
  query.glob_patterns = {"/sys/class/net/l?"};
  start(std::move(query), {.watch = false});
  const DeviceFacts& lo = *listener.devices.at("/sys/class/net/lo");
  EXPECT_EQ(lo.kind, DeviceKind::path);
  EXPECT_EQ(lo.path_type, PathType::directory);
}

TEST_F(EnumerateTest, DriverIsThatOfNearestAncestor) {
  std::string child;
  for (const std::string& syspath : list_kernel_devices({}, {"net", "block", "input"})) {
    const std::filesystem::path device(syspath);
    std::error_code ignored;
    if (std::filesystem::exists(device / "device/driver", ignored) &&
        !std::filesystem::exists(device / "driver", ignored)) {
      child = syspath;
    }
  }
  if (child.empty()) GTEST_SKIP() << "no class device with a driver on this machine";
  HostQuery query = subsystems({"net", "block", "input"});
  query.wanted = [](const DeviceFacts&) {
    WantedFacts wanted;
    wanted.relevant = true;
    wanted.add(Fact::driver);
    return wanted;
  };
  start(std::move(query), {.watch = false});
  const auto driver = std::filesystem::read_symlink(child + "/device/driver").filename().string();
  EXPECT_EQ(listener.devices.at(child)->known.first(Fact::driver), driver);
}

}  // namespace
}  // namespace patchbay::host
