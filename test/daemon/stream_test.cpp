// Tests how changes of devices reach the kubelet's list.
#include <filesystem>

#include "fake/daemon_fixture.h"
#include "fake/gophers.h"

namespace patchbay {
namespace {

using fake::kGopher;

class StreamTest : public fake::DaemonTest {
 protected:
  fake::Gophers gophers_{dir_};
};

TEST_F(StreamTest, FilesInNewDirectoryBecomeUnits) {
  start_kubelet();
  start_daemon(gophers_.config());
  ASSERT_TRUE(lists(kGopher, ""));
  gophers_.plug("g1");
  EXPECT_TRUE(lists(kGopher, "g1=Healthy"));
  gophers_.plug("g10");
  gophers_.plug("g2");
  EXPECT_TRUE(lists(kGopher, "g1=Healthy g2=Healthy g10=Healthy"));
}

TEST_F(StreamTest, LostUnitIsUnhealthyUntilItReturns) {
  gophers_.plug("g1");
  start_kubelet();
  start_daemon(gophers_.config());
  ASSERT_TRUE(lists(kGopher, "g1=Healthy"));
  gophers_.unplug("g1");
  ASSERT_TRUE(lists(kGopher, "g1=Unhealthy"));
  const size_t mark = kubelet_->log().size();
  gophers_.plug("g1");
  EXPECT_TRUE(lists(kGopher, "g1=Healthy", mark));
}

TEST_F(StreamTest, LostUnitIsDroppedAfterLinger) {
  gophers_.plug("g1");
  gophers_.plug("g2");
  start_kubelet();
  std::string config = gophers_.config();
  // With 3 s, the list with the lost unit is sent before the unit is dropped.
  config.replace(config.find("linger: 1h"), 10, "linger: 3s");
  start_daemon(config);
  ASSERT_TRUE(lists(kGopher, "g1=Healthy g2=Healthy"));
  gophers_.unplug("g2");
  EXPECT_TRUE(lists(kGopher, "g1=Healthy g2=Unhealthy"));
  EXPECT_TRUE(lists(kGopher, "g1=Healthy"));
}

TEST_F(StreamTest, SymlinkUnitFollowsItsTarget) {
  dir_.write("dev/tty1", "");
  std::filesystem::create_directory(dir_ / "gophers");
  std::filesystem::create_symlink(dir_ / "dev/tty1", dir_ / "gophers/g1");
  std::filesystem::create_symlink(dir_ / "dev/tty2", dir_ / "gophers/g2");
  start_kubelet();
  std::string config = gophers_.config();
  config.replace(config.find("linger: 1h"), 10, "linger: 3s");
  start_daemon(config, {"--rescan", "0s"});
  ASSERT_TRUE(lists(kGopher, "g1=Healthy"));
  dir_.write("dev/tty2", "");
  EXPECT_TRUE(lists(kGopher, "g1=Healthy g2=Healthy"));
  std::filesystem::remove(dir_ / "dev/tty1");
  EXPECT_TRUE(lists(kGopher, "g1=Unhealthy g2=Healthy"));
  EXPECT_TRUE(lists(kGopher, "g2=Healthy"));
  const size_t mark = kubelet_->log().size();
  dir_.write("dev/tty1", "");
  EXPECT_TRUE(lists(kGopher, "g1=Healthy g2=Healthy", mark));
}

TEST_F(StreamTest, FollowsRemovedAndRecreatedDirectory) {
  gophers_.plug("g1");
  start_kubelet();
  start_daemon(gophers_.config());
  ASSERT_TRUE(lists(kGopher, "g1=Healthy"));
  std::filesystem::remove_all(dir_ / "gophers");
  ASSERT_TRUE(lists(kGopher, "g1=Unhealthy"));
  const size_t mark = kubelet_->log().size();
  gophers_.plug("g1");
  EXPECT_TRUE(lists(kGopher, "g1=Healthy", mark));
}

TEST_F(StreamTest, SlowKubeletGetsNewestList) {
  start_kubelet();
  kubelet_->set_faults({.block_reads = true});
  start_daemon(gophers_.config());
  ASSERT_TRUE(kubelet_->wait_for(Kind::stream_opened, kGopher));
  for (int i = 0; i < 500; ++i) gophers_.plug("a-gopher-with-a-long-name-" + std::to_string(i));
  kubelet_->set_faults({});
  const auto all_are_there = [](const Devices& devices) { return devices.size() == 500; };
  EXPECT_TRUE(kubelet_->wait_for_list(kGopher, all_are_there));
}

TEST_F(StreamTest, CallReachesResourceOfItsSocket) {
  gophers_.plug("g1");
  start_kubelet();
  start_daemon(
      gophers_.config("  - name: example.com/null\n"
                      "    match: {glob: /dev/null}\n"
                      "    id: $(name)\n"));
  ASSERT_TRUE(lists(kGopher, "g1=Healthy"));
  ASSERT_TRUE(lists("example.com/null", "null=Healthy"));
  EXPECT_TRUE(kubelet_->allocate(kGopher, {"g1"}));
  EXPECT_TRUE(kubelet_->allocate("example.com/null", {"null"}));
  EXPECT_FALSE(kubelet_->allocate(kGopher, {"null"}));
}

}  // namespace
}  // namespace patchbay
