#include "loop/inotify.h"

#include <sys/inotify.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fake/run_until.h"
#include "fake/temp_dir.h"

namespace patchbay::loop {
namespace {

class InotifyTest : public ::testing::Test {
 protected:
  UvLoop loop_;
  fake::TempDir dir_;
  std::unique_ptr<Inotify> inotify_ = *Inotify::create(loop_);
};

TEST_F(InotifyTest, ReportsEntriesThatAppearAndDisappear) {
  std::vector<std::pair<std::string, bool>> seen;  // Name, and whether it appeared.
  const auto watch = inotify_->watch(dir_.path(), [&](const InotifyEvent& event) {
    if ((event.mask & IN_CREATE) != 0) seen.emplace_back(event.name, true);
    if ((event.mask & IN_DELETE) != 0) seen.emplace_back(event.name, false);
  });
  ASSERT_TRUE(watch);
  dir_.write("g1", "");
  std::filesystem::remove(dir_ / "g1");
  EXPECT_TRUE(fake::run_until(loop_, [&] { return seen.size() == 2; }));
  EXPECT_EQ(seen, (std::vector<std::pair<std::string, bool>>{{"g1", true}, {"g1", false}}));
}

TEST_F(InotifyTest, TwoWatchesOfOneDirectoryAreIndependent) {
  int first = 0;
  int second = 0;
  auto one = *inotify_->watch(dir_.path(), [&](const InotifyEvent&) { ++first; });
  const auto two = *inotify_->watch(dir_.path(), [&](const InotifyEvent&) { ++second; });
  one.reset();
  std::filesystem::create_directory(dir_ / "x");
  EXPECT_TRUE(fake::run_until(loop_, [&] { return second == 1; }));
  EXPECT_EQ(first, 0);
}

TEST_F(InotifyTest, WatchReceivesOnlyRequestedEvents) {
  dir_.write("file", "");
  std::vector<uint32_t> plain;
  std::vector<uint32_t> attributes;
  const auto one = *inotify_->watch(
      dir_.path(), [&](const InotifyEvent& event) { plain.push_back(event.mask); });
  const auto two = *inotify_->watch(
      dir_.path(), [&](const InotifyEvent& event) { attributes.push_back(event.mask); }, IN_ATTRIB);
  std::filesystem::permissions(dir_ / "file", std::filesystem::perms::owner_read);
  dir_.write("other", "");
  EXPECT_TRUE(fake::run_until(loop_, [&] { return attributes.size() == 2; }));
  EXPECT_EQ(attributes, (std::vector<uint32_t>{IN_ATTRIB, IN_CREATE}));
  EXPECT_EQ(plain, (std::vector<uint32_t>{IN_CREATE}));
}

TEST_F(InotifyTest, ReportsRemovalOfWatchedDirectory) {
  std::filesystem::create_directory(dir_ / "gone");
  bool gone = false;
  const auto watch = *inotify_->watch(
      dir_ / "gone", [&](const InotifyEvent& event) { gone = gone || event.is_watch_ended(); });
  std::filesystem::remove(dir_ / "gone");
  EXPECT_TRUE(fake::run_until(loop_, [&] { return gone; }));
}

TEST_F(InotifyTest, ReportsWritesAndRemovalOfFile) {
  const std::string file = dir_.write("gopher", "1");
  int written = 0;
  bool gone = false;
  const auto watch = *inotify_->watch_file(file, [&](const InotifyEvent& event) {
    EXPECT_EQ(event.name, "");
    if ((event.mask & IN_MODIFY) != 0) ++written;
    gone = gone || event.is_watch_ended();
  });
  dir_.write("mole", "1");
  std::ofstream open(file);
  open << "2" << std::flush;
  EXPECT_TRUE(fake::run_until(loop_, [&] { return written > 0; }));
  EXPECT_FALSE(gone);
  open.close();
  std::filesystem::remove(file);
  EXPECT_TRUE(fake::run_until(loop_, [&] { return gone; }));
}

TEST_F(InotifyTest, MissingFileIsAnError) {
  const auto watch = inotify_->watch_file(dir_ / "gopher", [](const InotifyEvent&) {});
  ASSERT_FALSE(watch);
  EXPECT_EQ(watch.error().message,
            "cannot watch " + (dir_ / "gopher") + ": No such file or directory");
}

TEST_F(InotifyTest, OverflowReachesEveryWatch) {
  std::filesystem::create_directory(dir_ / "other");
  int overflows = 0;
  const auto count = [&](const InotifyEvent& event) { overflows += event.overflow() ? 1 : 0; };
  const auto one = *inotify_->watch(dir_.path(), count);
  const auto two = *inotify_->watch(dir_ / "other", count);
  // The queue holds max_queued_events, 16 384 by default, and the test does not read it. The kernel
  // merges successive equal events, so two names alternate.
  for (int i = 0; i < 20'000; ++i) {
    dir_.write(i % 2 == 0 ? "a" : "b", "");
    std::filesystem::remove(dir_ / (i % 2 == 0 ? "a" : "b"));
  }
  EXPECT_TRUE(fake::run_until(loop_, [&] { return overflows >= 2; }));
}

TEST_F(InotifyTest, MissingDirectoryIsAnError) {
  const auto watch = inotify_->watch(dir_ / "nowhere", [](const InotifyEvent&) {});
  ASSERT_FALSE(watch);
  EXPECT_EQ(watch.error().message,
            "cannot watch " + (dir_ / "nowhere") + ": No such file or directory");
}

TEST_F(InotifyTest, CallbackMayEndItsOwnWatch) {
  Subscription watch;
  int called = 0;
  watch = *inotify_->watch(dir_.path(), [&](const InotifyEvent&) {
    ++called;
    watch.reset();
  });
  dir_.write("a", "x");
  dir_.write("b", "x");
  int seen_b = 0;
  const auto other = *inotify_->watch(dir_.path(), [&](const InotifyEvent&) { ++seen_b; });
  dir_.write("c", "x");
  EXPECT_TRUE(fake::run_until(loop_, [&] { return seen_b > 0; }));
  EXPECT_EQ(called, 1);
}

}  // namespace
}  // namespace patchbay::loop
