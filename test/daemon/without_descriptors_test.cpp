// The daemon may open nothing more for a while: it says so once, loses nothing of what it has, and
// sees afterwards what happened meanwhile.
#include <filesystem>
#include <string>

#include "fake/no_descriptors.h"
#include "fake/reload_fixture.h"

namespace patchbay {
namespace {

namespace fs = std::filesystem;
using fake::kGopher;
using fake::kHead;
using fake::kMole;
using fake::NoDescriptors;

constexpr const char* kShort = "the kernel opens no more files";
constexpr const char* kEnough = "the kernel opens files again, and all was read";

/// Nothing is looked at again but for want of descriptors.
class WithoutDescriptorsTest : public fake::ReloadTest {
 protected:
  void go_live_for(const std::string& config) { go_live(config, {"--rescan", "0s"}); }

  /// So often it was tried in vain, and told.
  void expect_said_once() const {
    EXPECT_TRUE(says(kEnough));
    EXPECT_EQ(daemon_->count_lines(kShort), 1U);
    const auto line = daemon_->wait_for_line(kShort);
    ASSERT_TRUE(line);
    EXPECT_NE(line->find("RLIMIT_NOFILE"), std::string::npos) << *line;
  }
};

/// A directory that comes must be opened to see what is in it.
TEST_F(WithoutDescriptorsTest, WhatIsPluggedMeanwhileIsSeenAfterwards) {
  dir_.write("boards/one/g1", "");
  dir_.write("boards/goes/g2", "");
  dir_.write("box/g3", "");
  start_kubelet();
  start_daemon(kHead + "  - name: example.com/gopher\n    match: {glob: " + (dir_ / "boards/*/*") +
                   ", type: file}\n    id: $(name)\n    linger: 1h\n",
               {"--rescan", "0s", "--no-reload"});
  ASSERT_TRUE(lists(kGopher, "g1=Healthy g2=Healthy"));
  {
    const NoDescriptors none(daemon_->pid());
    fs::rename(dir_ / "box", dir_ / "boards/comes");
    fs::remove_all(dir_ / "boards/goes");
    ASSERT_TRUE(says(kShort));
  }
  EXPECT_TRUE(lists(kGopher, "g1=Healthy g2=Unhealthy g3=Healthy"));
  for (const auto& event : kubelet_->history(kGopher)) {
    EXPECT_NE(text_of(*event.devices).find("g1=Healthy"), std::string::npos) << kubelet_->story();
  }
  expect_said_once();
  EXPECT_EQ(stop_daemon().exit_code, 0);
}

TEST_F(WithoutDescriptorsTest, AnotherConfigurationHoldsAfterwards) {
  go_live_for(gophers_.config());
  {
    const NoDescriptors none(daemon_->pid());
    put_in_place(gophers_.config() + moles());
    ASSERT_TRUE(says(kShort));
  }
  EXPECT_TRUE(lists(kMole, "m1=Healthy"));
  expect_said_once();
  EXPECT_EQ(daemon_->count_lines("the configuration is refused"), 0U);
  EXPECT_EQ(gopher_lists(), 1U);
}

TEST_F(WithoutDescriptorsTest, WhatTheNodeIsStaysUntilItCanBeRead) {
  const std::string fact = dir_.write("machine", "bench");
  go_live_for(gophers_.config("    when: {file: {" + fact + ": bench}}\n") +
              moles("    when: {file: {" + fact + ": field}}\n"));
  {
    const NoDescriptors none(daemon_->pid());
    fs::rename(dir_.write("next", "field"), fact);
    ASSERT_TRUE(says(kShort));
    EXPECT_EQ(gopher_lists(), 1U);
  }
  EXPECT_TRUE(lists(kMole, "m1=Healthy"));
  EXPECT_TRUE(lists(kGopher, ""));
  expect_said_once();
}

}  // namespace
}  // namespace patchbay
