// The link of a network interface, which the kernel tells on rtnetlink only, as the kubelet sees
// it.
#include "fake/daemon_fixture.h"
#include "fake/kernel_devices.h"

namespace patchbay {
namespace {

constexpr const char* kNic = "example.com/nic";

class LinkHealthTest : public fake::DaemonTest {
 protected:
  void SetUp() override {
    if (const auto why = fake::VethPair::unavailable()) GTEST_SKIP() << *why;
    pair_ = std::make_unique<fake::VethPair>("pbnic0", "pbnic1");
    ASSERT_TRUE(pair_->made());
    ASSERT_TRUE(up("pbnic0", true) && up("pbnic1", true));
    start_kubelet();
    // No period passes in this test.
    start_daemon(
        "apiVersion: patchbay/v1\nkind: Config\ndefaults: {settle: 0ms, linger: 1h}\n"
        "resources:\n"
        "  - name: example.com/nic\n"
        "    match: {subsystem: net, name: pbnic0}\n"
        "    id: $(name)\n"
        "    health:\n"
        "      - {attribute: {carrier: \"1\"}, period: 1h, failureThreshold: 1}\n");
    ASSERT_TRUE(lists(kNic, "pbnic0=Healthy"));
  }
  static bool up(const std::string& end, bool is_up) { return fake::VethPair::set_up(end, is_up); }

  std::unique_ptr<fake::VethPair> pair_;
};

TEST_F(LinkHealthTest, ACarrierThatGoesAndComesIsToldAtOnce) {
  ASSERT_TRUE(up("pbnic1", false));
  ASSERT_TRUE(lists(kNic, "pbnic0=Unhealthy"));
  EXPECT_TRUE(daemon_->wait_for_line("carrier is"));
  size_t from = kubelet_->log().size();
  ASSERT_TRUE(up("pbnic1", true));
  ASSERT_TRUE(lists(kNic, "pbnic0=Healthy", from));
  // The port itself goes down: its carrier then cannot even be read.
  from = kubelet_->log().size();
  ASSERT_TRUE(up("pbnic0", false));
  ASSERT_TRUE(lists(kNic, "pbnic0=Unhealthy", from));
  from = kubelet_->log().size();
  ASSERT_TRUE(up("pbnic0", true));
  ASSERT_TRUE(lists(kNic, "pbnic0=Healthy", from));
}

TEST_F(LinkHealthTest, AnInterfaceThatAPodTakesIsGone) {
  const std::string space = "pbspace";
  ASSERT_EQ(fake::run_command({"ip", "netns", "add", space}), 0);
  ASSERT_EQ(fake::run_command({"ip", "link", "set", "pbnic0", "netns", space}), 0);
  EXPECT_TRUE(lists(kNic, "pbnic0=Unhealthy"));
  EXPECT_TRUE(daemon_->wait_for_line("the device is gone"));
  const size_t from = kubelet_->log().size();
  EXPECT_EQ(fake::run_command({"ip", "-n", space, "link", "set", "pbnic0", "netns", "1"}), 0);
  EXPECT_TRUE(up("pbnic0", true));
  EXPECT_TRUE(lists(kNic, "pbnic0=Healthy", from));
  EXPECT_EQ(fake::run_command({"ip", "netns", "del", space}), 0);
}

}  // namespace
}  // namespace patchbay
