// Tests a Pod without hostNetwork: udev's messages do not arrive, but its database can be read.
#include "fake/daemon_fixture.h"
#include "fake/kernel_devices.h"
#include "fake/udev_daemon.h"

namespace patchbay {
namespace {

constexpr const char* kInformation = "do not reach this network namespace";

class NamespaceTest : public fake::DaemonTest,
                      public testing::WithParamInterface<std::vector<std::string>> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(udevd_.runs());
    start_kubelet();
    start_daemon_in(
        GetParam(),
        "apiVersion: patchbay/v1\nkind: Config\n"
        "defaults: {linger: 1h}\nresources:\n"
        "  - name: example.com/nic\n"
        "    match: {subsystem: net, name: \"pbveth*\"}\n"
        "    id: $(name)\n"
        "  - name: example.com/zram\n"
        "    match: {subsystem: block, name: \"zram*\", property: {DEVNAME: \"/dev/zram*\"}}\n"
        "    id: $(name)\n");
    ASSERT_TRUE(lists("example.com/nic", ""));
    ASSERT_TRUE(kubelet_->wait_for(Kind::listed, fake::kZram));
  }

  testing::AssertionResult zram_is(const fake::ZramDevice& device, bool healthy) {
    return zram_is(device.name(), healthy);
  }
  testing::AssertionResult zram_is(const std::string& name, bool healthy) {
    const auto wanted = [&](const Devices& devices) {
      return std::ranges::any_of(
          devices, [&](const auto& d) { return d.id == name && d.healthy == healthy; });
    };
    if (kubelet_->wait_for_list(fake::kZram, wanted, mark_)) {
      return testing::AssertionSuccess();
    }
    return lists(fake::kZram, name + (healthy ? "=Healthy" : "=Unhealthy"));
  }

  fake::UdevDaemon udevd_;
  size_t mark_ = 0;
};

TEST_P(NamespaceTest, HotplugArrivesThroughTheDatabase) {
  fake::VethPair cable("pbveth0", "pbveth1");
  ASSERT_TRUE(cable.made());
  EXPECT_TRUE(lists("example.com/nic", "pbveth0=Healthy pbveth1=Healthy"));
  fake::ZramDevice device;
  EXPECT_TRUE(zram_is(device, true));

  ASSERT_TRUE(cable.unplug());
  EXPECT_TRUE(lists("example.com/nic", "pbveth0=Unhealthy pbveth1=Unhealthy"));
  mark_ = kubelet_->log().size();
  const std::string name = device.name();
  ASSERT_TRUE(device.unplug());
  EXPECT_TRUE(zram_is(name, false));
}

TEST_P(NamespaceTest, LogsMissingMessagesOnceEvenInAStorm) {
  fake::ZramDevice first;
  ASSERT_TRUE(zram_is(first, true));
  ASSERT_TRUE(daemon_->wait_for_line(kInformation));

  ASSERT_TRUE(fake::uevent_storm(fake::kNullDevice, 5'000));
  fake::ZramDevice second;  // Comes after the storm in udevd's queue.
  ASSERT_TRUE(zram_is(second, true));
  ASSERT_TRUE(fake::UdevDaemon::settle());

  const auto end = stop_daemon();
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(daemon_->count_lines(kInformation), 1U);
  EXPECT_EQ(daemon_->count_lines(R"("level":"warning")"), 0U) << end.err;
}

INSTANTIATE_TEST_SUITE_P(
    In, NamespaceTest,
    testing::Values(std::vector<std::string>{"unshare", "--net"},
                    std::vector<std::string>{"unshare", "--user", "--map-root-user", "--net"}),
    [](const auto& test) { return test.param.size() == 2 ? "Network" : "UserAndNetwork"; });

}  // namespace
}  // namespace patchbay
