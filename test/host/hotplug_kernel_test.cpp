#include <sched.h>

#include <algorithm>
#include <filesystem>
#include <thread>
#include <vector>

#include "fake/facts.h"
#include "fake/temp_dir.h"
#include "host/kernel_fixture.h"

namespace patchbay::host {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;

enum class Udevd { absent, runs, awaited };

/// Tests each plug in three ways: without udevd, with a udevd whose data no rule needs, and with
/// one whose data a rule needs.
class HotplugTest : public KernelTest, public testing::WithParamInterface<Udevd> {
 protected:
  void SetUp() override {
    if (GetParam() != Udevd::absent) {
      SKIP_IF(fake::UdevDaemon::unavailable());
      udevd = std::make_unique<fake::UdevDaemon>();
      ASSERT_TRUE(udevd->runs());
    } else if (fake::UdevDaemon::answers()) {
      GTEST_SKIP() << "this machine's udevd runs, and is not ours to stop";
    }
  }
  void TearDown() override {
    KernelTest::TearDown();
    udevd.reset();
  }
  void start(HostQuery query) {
    if (!query.wanted) query.wanted = cheap_facts;
    query.wanted = [wanted = std::move(query.wanted)](const DeviceFacts& cheap) {
      WantedFacts facts = wanted(cheap);
      facts.names_from_udev = GetParam() == Udevd::awaited;
      return facts;
    };
    KernelTest::start(std::move(query));
  }
  std::unique_ptr<fake::UdevDaemon> udevd;
};

INSTANTIATE_TEST_SUITE_P(Udevd, HotplugTest,
                         testing::Values(Udevd::absent, Udevd::runs, Udevd::awaited),
                         [](const auto& suite) {
                           if (suite.param == Udevd::absent) return "absent";
                           return suite.param == Udevd::runs ? "runs" : "awaited";
                         });

TEST_P(HotplugTest, ReportsABlockDeviceThatIsAddedAndRemoved) {
  SKIP_IF(fake::ZramDevice::unavailable());
  start(subsystems({"block"}));
  fake::ZramDevice zram;
  const std::string key = zram.syspath();
  ASSERT_TRUE(comes(key));
  EXPECT_EQ(listener.devices.at(key)->devnode, zram.devnode());
  EXPECT_TRUE(listener.devices.at(key)->number->block);
  EXPECT_EQ(listener.devices.at(key)->devtype, "disk");
  EXPECT_TRUE(zram.unplug());
  EXPECT_TRUE(goes(key));
  EXPECT_GT(host->event_counts().kernel, 0U);
  EXPECT_EQ(host->event_counts().overflows, 0U);
}

TEST_P(HotplugTest, ManyPlugsEndInTheRightState) {
  SKIP_IF(fake::ZramDevice::unavailable());
  start(subsystems({"block"}));
  for (int round = 0; round < 20; ++round) {
    fake::ZramDevice stays;
    const std::string key = stays.syspath();
    std::vector<std::string> left;
    for (int i = 0; i < 5; ++i) {
      fake::ZramDevice short_lived;
      left.push_back(short_lived.syspath());
    }
    ASSERT_TRUE(comes(key));
    ASSERT_TRUE(stays.unplug());
    ASSERT_TRUE(goes(key));
    for (const std::string& gone : left) ASSERT_TRUE(goes(gone)) << gone;
  }
}

TEST_P(HotplugTest, ReportsAnInterfaceAndItsCharacterDevice) {
  SKIP_IF(fake::VethPair::unavailable());
  const fake::VethPair veth("pbhost0", "pbhost1");
  start(subsystems({"net", "macvtap"}));
  // udevd may still process the interface, which then comes after the first scan.
  ASSERT_TRUE(comes(veth.syspath()));
  fake::MacvtapDevice macvtap("pbhost0", "pbtap0");
  if (!macvtap.made()) GTEST_SKIP() << "no macvtap to plug here";
  ASSERT_TRUE(comes(macvtap.tap_syspath()));
  ASSERT_TRUE(comes(macvtap.syspath()));
  EXPECT_EQ(listener.devices.at(macvtap.tap_syspath())->devnode, "/dev/" + macvtap.tap_name());
  macvtap.unplug();
  EXPECT_TRUE(goes(macvtap.tap_syspath()));
  EXPECT_TRUE(goes(macvtap.syspath()));
}

TEST_P(HotplugTest, RenamedInterfaceIsANewDevice) {
  SKIP_IF(fake::VethPair::unavailable());
  start(subsystems({"net"}));
  fake::VethPair veth("pbhost0", "pbhost1");
  const std::string old = veth.syspath();
  ASSERT_TRUE(comes(old));
  ASSERT_TRUE(veth.rename("pbhost2"));
  EXPECT_TRUE(comes(veth.syspath()));
  EXPECT_TRUE(goes(old));
}

TEST_P(HotplugTest, SysfsPatternFollowsTheDeviceTree) {
  SKIP_IF(fake::VethPair::unavailable());
  HostQuery query;
  query.sysfs_patterns = {"/sys/class/net/pbhost*"};
  start(std::move(query));
  EXPECT_THAT(listener.keys(), IsEmpty());
  fake::VethPair veth("pbhost0", "pbhost1");
  ASSERT_TRUE(comes(veth.syspath()));
  EXPECT_THAT(listener.devices.at(veth.syspath())->found_by,
              ElementsAre(FoundBy{"/sys/class/net/pbhost*", "/sys/class/net/pbhost0"}));
  EXPECT_TRUE(veth.unplug());
  EXPECT_TRUE(until([&] { return listener.devices.empty(); }));
}

TEST_P(HotplugTest, IgnoresOtherSubsystems) {
  SKIP_IF(fake::ZramDevice::unavailable());
  start(subsystems({"block"}));
  const fake::ZramDevice zram;
  ASSERT_TRUE(comes(zram.syspath()));
  for (const auto& [key, facts] : listener.devices) EXPECT_EQ(facts->subsystem, "block") << key;
}

TEST_P(HotplugTest, ReReadsAChangedDevice) {
  SKIP_IF(fake::ZramDevice::unavailable());
  HostQuery query = subsystems({"block"});
  query.wanted = [](const DeviceFacts& cheap) {
    WantedFacts wanted;
    wanted.relevant = cheap.name.starts_with("zram");
    wanted.add(Fact::attribute, "disksize");
    return wanted;
  };
  start(std::move(query));
  fake::ZramDevice zram;
  ASSERT_TRUE(comes(zram.syspath()));
  EXPECT_EQ(fake::lists(*listener.devices.at(zram.syspath()), Fact::attribute).at("disksize"),
            std::vector<std::string>{"0"});
  ASSERT_EQ(fake::write_to_kernel(zram.syspath() + "/disksize", "1M"), 0);
  ASSERT_TRUE(fake::uevent_storm(zram.syspath(), 1));
  EXPECT_TRUE(until([&] {
    return listener.devices.at(zram.syspath())->known.first(Fact::attribute, "disksize") ==
           "1048576";
  }));
}

/// For rules that need data of udevd.
class UdevdTest : public KernelTest {
 protected:
  void SetUp() override {
    SKIP_IF(fake::UdevDaemon::unavailable());
    SKIP_IF(fake::ZramDevice::unavailable());
  }
  [[nodiscard]] static HostQuery zram_with_its_record() {
    HostQuery query = subsystems({"block"});
    query.wanted = [](const DeviceFacts& cheap) {
      WantedFacts wanted;
      wanted.relevant = cheap.name.starts_with("zram");
      wanted.add(Fact::link);
      wanted.add(Fact::tag);
      wanted.add(Fact::property, "SUBSYSTEM");
      wanted.add(Fact::property, "USEC_INITIALIZED");
      return wanted;
    };
    return query;
  }
  /// Waits for the tags of udevd. The device may first be reported without them, if a scan finds it
  /// before its event, or if udevd is late.
  [[nodiscard]] bool comes_with_its_tags(const std::string& key) {
    return until([&] {
      const auto device = listener.devices.find(key);
      return device != listener.devices.end() && !fake::values(*device->second, Fact::tag).empty();
    });
  }
};

TEST_F(UdevdTest, ReportsADeviceAfterUdevHandledIt) {
  const fake::UdevDaemon udevd;
  ASSERT_TRUE(udevd.runs());
  // Waits, so that udevd's queue contains only the device of this test.
  ASSERT_TRUE(fake::UdevDaemon::settle());
  start(zram_with_its_record());
  ASSERT_TRUE(fake::UdevDaemon::pause());
  const fake::ZramDevice zram;
  ASSERT_TRUE(until([&] { return host->event_counts().kernel > 0; }));
  ASSERT_TRUE(fake::UdevDaemon::resume());
  ASSERT_TRUE(comes(zram.syspath()));
  const DeviceFacts first = *listener.devices.at(zram.syspath());
  ASSERT_TRUE(fake::UdevDaemon::settle());
  EXPECT_THAT(fake::named(first, Fact::property), Contains(testing::Key("USEC_INITIALIZED")));
  EXPECT_THAT(fake::values(first, Fact::tag), Contains("systemd"));
  // The record of udevd may have been read before udevd's event.
  EXPECT_TRUE(until([&] { return host->event_counts().udev > 0; }));
}

TEST_F(UdevdTest, WaitsForABusyUdevd) {
  const fake::UdevDaemon udevd;
  ASSERT_TRUE(udevd.runs());
  start(zram_with_its_record());
  ASSERT_TRUE(fake::UdevDaemon::pause());
  const fake::ZramDevice zram;
  ASSERT_TRUE(until([&] { return host->event_counts().kernel > 0; }));
  // Waits longer than the second in which an idle udevd must react. While udevd has a queue, the
  // host waits for it longer.
  const auto later = loop.now() + std::chrono::milliseconds(1500);
  ASSERT_TRUE(until([&] { return loop.now() > later; }));
  EXPECT_FALSE(listener.has(zram.syspath()));
  ASSERT_TRUE(fake::UdevDaemon::resume());
  EXPECT_TRUE(comes(zram.syspath()));
  EXPECT_THAT(fake::values(*listener.devices.at(zram.syspath()), Fact::tag), Contains("systemd"));
}

TEST_F(UdevdTest, DeviceOfBusyUdevdIsReportedAfterStart) {
  const fake::UdevDaemon udevd;
  ASSERT_TRUE(udevd.runs());
  ASSERT_TRUE(fake::UdevDaemon::settle());
  ASSERT_TRUE(fake::UdevDaemon::pause());
  const fake::ZramDevice zram;
  ASSERT_TRUE(until([] { return ::access("/run/udev/queue", F_OK) == 0; }));
  start(zram_with_its_record());
  EXPECT_FALSE(listener.has(zram.syspath()));
  ASSERT_TRUE(fake::UdevDaemon::resume());
  EXPECT_TRUE(comes(zram.syspath()));
}

/// The kernel's event suffices for a device that needs no data of udev.
TEST_F(UdevdTest, DoesNotWaitForUdevdIfRulesNeedNoUdevData) {
  const fake::UdevDaemon udevd;
  ASSERT_TRUE(udevd.runs());
  ASSERT_TRUE(fake::UdevDaemon::settle());
  start(subsystems({"block"}));
  ASSERT_TRUE(fake::UdevDaemon::pause());
  auto zram = std::make_unique<fake::ZramDevice>();
  const std::string key = zram->syspath();
  ASSERT_TRUE(comes(key));
  ASSERT_TRUE(zram->unplug());
  ASSERT_TRUE(goes(key));
  zram = std::make_unique<fake::ZramDevice>();
  ASSERT_EQ(zram->syspath(), key);
  ASSERT_TRUE(comes(key));
  EXPECT_EQ(host->event_counts().udev, 0U);
  const DeviceFacts before = *listener.devices.at(key);
  const auto log = listener.log.size();
  // udevd sends its events of both plugs, and of the unplug between them.
  ASSERT_TRUE(fake::UdevDaemon::resume());
  const fake::ZramDevice last;
  ASSERT_TRUE(until([&] { return host->event_counts().udev >= 4; }));
  ASSERT_TRUE(comes(last.syspath()));
  EXPECT_EQ(*listener.devices.at(key), before);
  EXPECT_EQ(std::count(listener.log.begin() + static_cast<std::ptrdiff_t>(log), listener.log.end(),
                       "gone " + key),
            0);
}

TEST_F(UdevdTest, StartReportsDevicesThatNeedNoUdev) {
  const fake::UdevDaemon udevd;
  ASSERT_TRUE(udevd.runs());
  ASSERT_TRUE(fake::UdevDaemon::settle());
  ASSERT_TRUE(fake::UdevDaemon::pause());
  auto zram = std::make_unique<fake::ZramDevice>();
  const std::string key = zram->syspath();
  ASSERT_TRUE(zram->unplug());
  zram = std::make_unique<fake::ZramDevice>();
  ASSERT_EQ(zram->syspath(), key);
  ASSERT_TRUE(until([] { return ::access("/run/udev/queue", F_OK) == 0; }));
  start(subsystems({"block"}));
  EXPECT_TRUE(listener.has(key));
  // udevd's event of the first unplug comes without an event of the kernel, which was before the
  // start.
  ASSERT_TRUE(fake::UdevDaemon::resume());
  const fake::ZramDevice last;
  ASSERT_TRUE(until([&] { return host->event_counts().udev >= 4; }));
  ASSERT_TRUE(comes(last.syspath()));
  EXPECT_TRUE(listener.has(key));
  EXPECT_EQ(std::ranges::count(listener.log, "gone " + key), 0);
}

TEST_F(UdevdTest, UsesAUdevdThatStartsLater) {
  if (fake::UdevDaemon::answers()) GTEST_SKIP() << "this machine's udevd runs";
  start(zram_with_its_record());
  const fake::UdevDaemon udevd;
  ASSERT_TRUE(udevd.runs());
  ASSERT_TRUE(until([&] { return host->event_counts().rescans > 0; }));
  const fake::ZramDevice zram;
  ASSERT_TRUE(comes_with_its_tags(zram.syspath()));
  EXPECT_THAT(fake::values(*listener.devices.at(zram.syspath()), Fact::tag), Contains("systemd"));
  EXPECT_TRUE(until([&] { return host->event_counts().udev > 0; }));
}

TEST_F(UdevdTest, DoesNotWaitForAStoppedUdevd) {
  auto udevd = std::make_unique<fake::UdevDaemon>();
  ASSERT_TRUE(udevd->runs());
  if (!udevd->ours()) GTEST_SKIP() << "this machine's udevd runs, and is not ours to stop";
  start(zram_with_its_record());
  ASSERT_TRUE(fake::UdevDaemon::pause());
  const fake::ZramDevice zram;
  ASSERT_TRUE(until([&] { return host->event_counts().kernel > 0; }));
  EXPECT_FALSE(listener.has(zram.syspath()));
  udevd.reset();
  EXPECT_TRUE(comes(zram.syspath()));
}

TEST_F(UdevdTest, WaitsForAKilledUdevdOnce) {
  auto udevd = std::make_unique<fake::UdevDaemon>();
  ASSERT_TRUE(udevd->runs());
  if (!udevd->ours()) GTEST_SKIP() << "this machine's udevd runs, and is not ours to stop";
  start(zram_with_its_record());
  udevd->kill();  // The socket of udevd stays.
  const fake::ZramDevice first;
  ASSERT_TRUE(comes(first.syspath()));
  // If the host waited for udevd, each plug would take a second. Measures ten plugs, because a
  // single plug may be slow.
  constexpr int kMore = 10;
  const auto before = loop.now();
  for (int i = 0; i < kMore; ++i) {
    const fake::ZramDevice next;
    ASSERT_TRUE(comes(next.syspath()));
  }
  EXPECT_LT(loop.now() - before, kMore * std::chrono::milliseconds(900));
}

/// A pod without hostNetwork receives no messages of udev, but can read its database.
TEST_F(UdevdTest, DatabaseSufficesInAnotherNetworkNamespace) {
  const fake::UdevDaemon udevd;
  ASSERT_TRUE(udevd.runs());
  std::thread pod([&] {
    if (::unshare(CLONE_NEWNET) != 0) GTEST_SKIP() << "no network namespace of one's own here";
    start(zram_with_its_record());
    fake::ZramDevice zram;
    const std::string key = zram.syspath();
    ASSERT_TRUE(comes_with_its_tags(key));
    EXPECT_THAT(fake::values(*listener.devices.at(key), Fact::tag), Contains("systemd"));
    EXPECT_THAT(fake::named(*listener.devices.at(key), Fact::property),
                Contains(testing::Key("USEC_INITIALIZED")));
    EXPECT_TRUE(zram.unplug());
    EXPECT_TRUE(goes(key));
    EXPECT_EQ(host->event_counts().udev, 0U);
    EXPECT_GT(host->event_counts().database, 0U);
  });
  pod.join();
}

/// In this namespace, no event of the host's network interface arrives. Only udev's record has its
/// name.
TEST_F(UdevdTest, DatabaseReportsTheHostsInterfaces) {
  SKIP_IF(fake::VethPair::unavailable());
  const fake::UdevDaemon udevd;
  ASSERT_TRUE(udevd.runs());
  std::thread pod([&] {
    if (::unshare(CLONE_NEWNET) != 0) GTEST_SKIP() << "no network namespace of one's own here";
    start(subsystems({"net"}));
  });
  pod.join();
  fake::VethPair veth("pbhost0", "pbhost1");
  ASSERT_TRUE(comes(veth.syspath()));
  EXPECT_TRUE(veth.unplug());
  EXPECT_TRUE(goes(veth.syspath()));
  EXPECT_EQ(host->event_counts().kernel, 0U);
}

TEST_F(KernelTest, ReportsFilesInANewDirectory) {
  const fake::TempDir dir;
  HostQuery query;
  query.glob_patterns = {dir / "not/yet/*/there"};
  start(std::move(query));
  EXPECT_THAT(listener.keys(), IsEmpty());
  const std::string path = dir.write("not/yet/but/there", "");
  EXPECT_TRUE(comes(path));
}

TEST_F(KernelTest, FindsADeviceNodeByPathWithoutUdev) {
  SKIP_IF(fake::ZramDevice::unavailable());
  HostQuery query;
  query.glob_patterns = {"/dev/zram*"};
  start(std::move(query));
  fake::ZramDevice zram;
  const std::string devnode = zram.devnode();
  ASSERT_TRUE(comes(devnode));
  EXPECT_EQ(listener.devices.at(devnode)->path_type, PathType::block_device);
  EXPECT_TRUE(listener.devices.at(devnode)->number->block);
  EXPECT_TRUE(zram.unplug());
  EXPECT_TRUE(goes(devnode));
}

}  // namespace
}  // namespace patchbay::host
