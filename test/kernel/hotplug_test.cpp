// Tests that the kubelet's list follows devices of the running kernel that appear and disappear.
#include "fake/daemon_fixture.h"
#include "fake/kernel_devices.h"
#include "fake/udev_daemon.h"

namespace patchbay {
namespace {

using fake::kZram;

std::string header(const std::string& linger = "1h") {
  return "apiVersion: patchbay/v1\nkind: Config\ndefaults: {linger: " + linger + "}\nresources:\n";
}

enum class Udevd { absent, runs, awaited };

/// Runs without udevd, with udevd and rules that need no data of it, and with rules that do.
class HotplugTest : public fake::DaemonTest, public testing::WithParamInterface<Udevd> {
 protected:
  /// A configuration that matches only names of this test, because uevents are global.
  static std::string zram_config(const std::string& names, const std::string& linger = "1h") {
    const bool awaited = GetParam() == Udevd::awaited;
    return header(linger) +
           "  - name: example.com/zram\n    match: {subsystem: block, name: " + names +
           (awaited ? ", property: {DEVNAME: \"*\"}" : "") + "}\n    id: $(name)\n";
  }

  void SetUp() override {
    if (GetParam() != Udevd::absent) {
      udevd_ = std::make_unique<fake::UdevDaemon>();
      ASSERT_TRUE(udevd_->runs());
    } else if (fake::UdevDaemon::answers()) {
      GTEST_SKIP() << "this machine's udevd runs, and is not ours to stop";
    }
    start_kubelet();
  }
  std::unique_ptr<fake::UdevDaemon> udevd_;
};

TEST_P(HotplugTest, ZramDeviceIsListedAllocatedLostAndDropped) {
  // Finds out the name of the next zram device.
  fake::ZramDevice probe;
  const std::string name = probe.name();
  ASSERT_TRUE(probe.unplug());
  // With 3 s, the list with the lost unit is sent before the unit is dropped.
  start_daemon(zram_config(name, "3s"));
  ASSERT_TRUE(lists(kZram, ""));

  fake::ZramDevice device;
  ASSERT_EQ(device.name(), name);
  ASSERT_TRUE(lists(kZram, name + "=Healthy"));
  const auto answer = kubelet_->allocate(kZram, {name});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->DebugString(), "devices {\n  container_path: \"/dev/" + name +
                                       "\"\n  host_path: \"/dev/" + name +
                                       "\"\n  permissions: \"rw\"\n}\n");

  ASSERT_TRUE(device.unplug());
  ASSERT_TRUE(lists(kZram, name + "=Unhealthy"));
  EXPECT_FALSE(kubelet_->allocate(kZram, {name}));
  EXPECT_TRUE(lists(kZram, "", kubelet_->log().size() - 1));
}

TEST_P(HotplugTest, MacvtapIsACharacterDeviceAndANetworkInterface) {
  const fake::VethPair cable("pbveth0", "pbveth1");
  ASSERT_TRUE(cable.made());
  start_daemon(header() +
               "  - name: example.com/tap\n"
               "    match: {subsystem: macvtap}\n"
               "    id: $(name)\n"
               "    devices: [{hostPath: $(devnode), containerPath: /dev/tap$(slot)}]\n"
               "  - name: example.com/nic\n"
               "    match: {subsystem: net, name: \"pbvtap*\"}\n"
               "    id: $(name)\n"
               "    envs: {NICS: $(name)}\n");
  ASSERT_TRUE(lists("example.com/tap", ""));
  ASSERT_TRUE(lists("example.com/nic", ""));

  fake::MacvtapDevice device("pbveth0", "pbvtap0");
  ASSERT_TRUE(device.made());
  const std::string tap = device.tap_name();
  ASSERT_TRUE(lists("example.com/tap", tap + "=Healthy"));
  ASSERT_TRUE(lists("example.com/nic", "pbvtap0=Healthy"));
  const auto node = kubelet_->allocate("example.com/tap", {tap});
  ASSERT_TRUE(node) << node.error().message;
  EXPECT_EQ(node->devices(0).host_path(), "/dev/" + tap);
  EXPECT_EQ(node->devices(0).container_path(), "/dev/tap0");
  const auto nic = kubelet_->allocate("example.com/nic", {"pbvtap0"});
  ASSERT_TRUE(nic) << nic.error().message;
  EXPECT_EQ(nic->envs().at("NICS"), "pbvtap0");
  EXPECT_EQ(nic->devices_size(), 0);

  ASSERT_TRUE(device.unplug());
  EXPECT_TRUE(lists("example.com/tap", tap + "=Unhealthy"));
  EXPECT_TRUE(lists("example.com/nic", "pbvtap0=Unhealthy"));
}

TEST_P(HotplugTest, VethPairIsListedAndLost) {
  start_daemon(header() +
               "  - name: example.com/nic\n"
               "    match: {subsystem: net, name: \"pbveth*\", attribute: {address: \"*:*\"}}\n"
               "    id: $(name)\n");
  ASSERT_TRUE(lists("example.com/nic", ""));
  fake::VethPair cable("pbveth0", "pbveth1");
  ASSERT_TRUE(cable.made());
  ASSERT_TRUE(lists("example.com/nic", "pbveth0=Healthy pbveth1=Healthy"));
  ASSERT_TRUE(cable.unplug());
  EXPECT_TRUE(lists("example.com/nic", "pbveth0=Unhealthy pbveth1=Unhealthy"));
}

TEST_P(HotplugTest, RenamedInterfaceIsANewUnit) {
  start_daemon(header() +
               "  - name: example.com/nic\n"
               "    match: {subsystem: net, name: \"pbveth0*\"}\n"
               "    id: $(name)\n");
  ASSERT_TRUE(lists("example.com/nic", ""));
  fake::VethPair cable("pbveth0", "pbveth1");
  ASSERT_TRUE(cable.made());
  ASSERT_TRUE(lists("example.com/nic", "pbveth0=Healthy"));
  ASSERT_TRUE(cable.rename("pbveth0b"));
  EXPECT_TRUE(lists("example.com/nic", "pbveth0=Unhealthy pbveth0b=Healthy"));
}

TEST_P(HotplugTest, SysfsRuleFollowsKernelDirectories) {
  start_daemon(header() +
               "  - name: example.com/nic\n"
               "    match: {sysfs: /sys/class/net/pbveth*}\n"
               "    id: $(name)\n");
  ASSERT_TRUE(lists("example.com/nic", ""));
  fake::VethPair cable("pbveth0", "pbveth1");
  ASSERT_TRUE(cable.made());
  ASSERT_TRUE(lists("example.com/nic", "pbveth0=Healthy pbveth1=Healthy"));
  ASSERT_TRUE(cable.unplug());
  EXPECT_TRUE(lists("example.com/nic", "pbveth0=Unhealthy pbveth1=Unhealthy"));
}

TEST_P(HotplugTest, GlobRuleFindsTheDeviceNode) {
  fake::ZramDevice device;
  const std::string name = device.name();
  start_daemon(header() + "  - name: example.com/node\n    match: {glob: /dev/" + name +
               ", type: block}\n    id: $(name)\n");
  ASSERT_TRUE(lists("example.com/node", name + "=Healthy"));
  ASSERT_TRUE(device.unplug());
  EXPECT_TRUE(lists("example.com/node", name + "=Unhealthy"));
}

TEST_P(HotplugTest, ReportsAnUnplugAfterAKubeletRestart) {
  fake::ZramDevice device;
  const std::string name = device.name();
  start_daemon(zram_config(name));
  ASSERT_TRUE(lists(kZram, name + "=Healthy"));
  const size_t restart = kubelet_->log().size();
  kubelet_->restart();
  ASSERT_TRUE(lists(kZram, name + "=Healthy", restart));
  ASSERT_TRUE(device.unplug());
  EXPECT_TRUE(lists(kZram, name + "=Unhealthy", restart));
}

TEST_P(HotplugTest, DevicePluggedWhileTheKubeletIsAwayIsInTheFirstList) {
  fake::ZramDevice first;
  fake::ZramDevice second;
  const std::string config = zram_config("[" + first.name() + ", " + second.name() + "]");
  const std::string gone = second.name();
  ASSERT_TRUE(second.unplug());
  start_daemon(config);
  ASSERT_TRUE(lists(kZram, first.name() + "=Healthy"));
  kubelet_->stop();
  const fake::ZramDevice again;
  ASSERT_EQ(again.name(), gone);
  ASSERT_TRUE(daemon_->wait_for_line(R"("unit offered","resource":"example.com/zram","unit":")" +
                                     gone + '"'));
  const size_t mark = kubelet_->log().size();
  kubelet_->start_again();
  const auto list = kubelet_->wait_for(Kind::listed, kZram, mark);
  ASSERT_TRUE(list);
  EXPECT_EQ(list->devices->size(), 2U);
}

INSTANTIATE_TEST_SUITE_P(Udevd, HotplugTest,
                         testing::Values(Udevd::runs, Udevd::absent, Udevd::awaited),
                         [](const auto& test) {
                           if (test.param == Udevd::absent) return "Absent";
                           return test.param == Udevd::runs ? "Runs" : "Awaited";
                         });

}  // namespace
}  // namespace patchbay
