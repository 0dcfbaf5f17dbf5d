// Tests the link state of a network interface in the kubelet's list. The kernel reports this state
// only on rtnetlink.
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
    // No period of a probe ends in this test.
    start_daemon(
        "apiVersion: patchbay/v1\nkind: Config\ndefaults: {linger: 1h}\n"
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

TEST_F(LinkHealthTest, ReportsLinkDownAndUpAtOnce) {
  ASSERT_TRUE(up("pbnic1", false));
  ASSERT_TRUE(lists(kNic, "pbnic0=Unhealthy"));
  EXPECT_TRUE(daemon_->wait_for_line("carrier is"));
  size_t from = kubelet_->log().size();
  ASSERT_TRUE(up("pbnic1", true));
  ASSERT_TRUE(lists(kNic, "pbnic0=Healthy", from));
  // The interface itself goes down, so that its `carrier` cannot be read.
  from = kubelet_->log().size();
  ASSERT_TRUE(up("pbnic0", false));
  ASSERT_TRUE(lists(kNic, "pbnic0=Unhealthy", from));
  from = kubelet_->log().size();
  ASSERT_TRUE(up("pbnic0", true));
  ASSERT_TRUE(lists(kNic, "pbnic0=Healthy", from));
}

TEST_F(LinkHealthTest, InterfaceMovedToAPodIsLost) {
  const fake::NetworkNamespace space("pbspace");
  ASSERT_TRUE(space.made());
  ASSERT_TRUE(space.take("pbnic0"));
  EXPECT_TRUE(lists(kNic, "pbnic0=Unhealthy"));
  EXPECT_TRUE(daemon_->wait_for_line("the device is gone"));
  const size_t from = kubelet_->log().size();
  EXPECT_TRUE(space.give_back("pbnic0"));
  EXPECT_TRUE(up("pbnic0", true));
  EXPECT_TRUE(lists(kNic, "pbnic0=Healthy", from));
}

/// Tests what `discover` shows if an interface has moved into a Pod. The example nic.yaml avoids
/// the loss by a rule for the PCI function.
TEST(TakenInterfaceTest, DiscoverReportsMovedInterfaceAsGone) {
  if (const auto why = fake::VethPair::unavailable()) GTEST_SKIP() << *why;
  const fake::VethPair pair("pbnic0", "pbnic1");
  ASSERT_TRUE(pair.made());
  const fake::TempDir dir;
  const std::string config =
      dir.write("nic.yaml",
                "apiVersion: patchbay/v1\nkind: Config\ndefaults: {linger: 1h}\nresources:\n"
                "  - name: example.com/nic\n    match: {subsystem: net, name: pbnic0}\n"
                "    id: $(name)\n");
  const std::vector<std::string> once{fake::patchbay_binary(), "discover", "--config", config};
  std::vector<std::string> watch = once;
  watch.insert(watch.end(), {"--watch", "-o", "json"});
  const fake::Process discover(watch);
  ASSERT_TRUE(discover.wait_for_line(R"("healthy":true,"reason":"")"));

  const fake::NetworkNamespace space("pbspace");
  ASSERT_TRUE(space.made());
  ASSERT_TRUE(space.take("pbnic0"));
  EXPECT_TRUE(discover.wait_for_line(R"("healthy":false,"reason":"the device is gone")"));
  const auto without = fake::run_process(once);
  EXPECT_NE(without.out.find("example.com/nic  -     no device matches"), std::string::npos)
      << without.out;
  const size_t from = discover.lines().size();
  ASSERT_TRUE(space.give_back("pbnic0"));
  EXPECT_TRUE(discover.wait_for_line(R"("healthy":true)", from));
  EXPECT_NE(fake::run_process(once).out.find("healthy"), std::string::npos);
}

}  // namespace
}  // namespace patchbay
