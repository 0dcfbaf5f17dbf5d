#include "paths/path_follower.h"

#include <sys/inotify.h>

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "fake/manual_inotify.h"
#include "fake/manual_loop.h"
#include "fake/scripted_paths.h"

namespace patchbay::paths {
namespace {

using namespace std::chrono_literals;
using fake::kMissing;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A PathListener that counts its notifications.
struct CountingListener final : PathListener {
  void path_event(const std::string& path) override { events.push_back(path); }
  void path_state_changed(const std::string& /*path*/, const PathState& /*state*/) override {
    ++changes;
  }
  std::vector<std::string> events;
  int changes = 0;
};

/// The clock moves only when a test advances it, so that no period ends by itself.
class PathFollowerTest : public testing::Test {
 protected:
  void follow(const std::string& path) { follower_.follow(path, listener_); }
  void drop(const std::string& path) { follower_.drop(path, listener_); }
  /// Runs all due checks. Returns the number of jobs that ran.
  size_t settle() {
    const size_t before = paths_.asked.size();
    do loop_.advance(0ms);
    while (paths_.end());
    return paths_.asked.size() - before;
  }
  void notify(const std::string& directory, const std::string& entry, uint32_t mask = IN_CREATE) {
    inotify_.notify(directory, {.mask = mask, .name = entry});
  }
  [[nodiscard]] bool missing(const std::string& path) const {
    return follower_.state(path) == kMissing;
  }

  static constexpr loop::Milliseconds kPeriod{10'000};
  static constexpr loop::Milliseconds kLong = PathFollower::kLeastBetweenEvents;
  fake::ManualLoop loop_;
  fake::ManualInotify inotify_;
  fake::ScriptedPaths paths_;
  CountingListener listener_;
  PathFollower follower_{
      loop_, paths_, {.inotify = &inotify_, .next_check = [](loop::Time) { return kPeriod; }}};
};

TEST_F(PathFollowerTest, ReportsRemovalAndReturnWithoutPolling) {
  follow("/srv/lab/lib");
  settle();
  paths_.states["/srv/lab/lib"] = kMissing;
  notify("/srv/lab", "lib", IN_DELETE);
  settle();
  EXPECT_TRUE(missing("/srv/lab/lib"));
  EXPECT_EQ(listener_.changes, 2);
  paths_.states.clear();
  loop_.advance(kLong);
  notify("/srv/lab", "lib");
  settle();
  EXPECT_FALSE(missing("/srv/lab/lib"));
  EXPECT_EQ(listener_.changes, 3) << "also that it was there at first";
}

TEST_F(PathFollowerTest, RechecksAPathAfterWatchingIt) {
  follow("/dev/a");
  EXPECT_EQ(settle(), 2U);
  follow("/dev/b");
  EXPECT_EQ(settle(), 1U) << "all that leads there was watched before";
  EXPECT_EQ(paths_.asked.back(), std::vector<std::string>{"/dev/b"});
}

TEST_F(PathFollowerTest, TenThousandPathsInADirectoryShareItsWatch) {
  for (int i = 0; i < 10'000; ++i) {
    follow("/dev/a" + std::to_string(i));
    follow("/dev/b" + std::to_string(i));
  }
  EXPECT_EQ(settle(), 2U);
  EXPECT_EQ(inotify_.count(), 2U);
  EXPECT_THAT(inotify_.watched(), ElementsAre("/", "/dev"));
  for (int i = 0; i < 1000; ++i) notify("/dev", "pts" + std::to_string(i));
  EXPECT_EQ(settle(), 0U) << "nobody needs that";
  notify("/dev", "a17", IN_DELETE);
  notify("/dev", "b4", IN_DELETE);
  EXPECT_EQ(settle(), 1U);
  EXPECT_THAT(paths_.asked.back(), ElementsAre("/dev/a17", "/dev/b4"));
}

TEST_F(PathFollowerTest, EventOfDirectoryCausesCheckOfAllPathsBelow) {
  for (const std::string path : {"/srv/lab/a", "/srv/lab/b/c", "/srv/lab", "/srv/labs/a"}) {
    follow(path);
  }
  settle();
  notify("/srv", "lab", IN_MOVED_FROM);
  settle();
  EXPECT_THAT(paths_.asked.back(), ElementsAre("/srv/lab", "/srv/lab/a", "/srv/lab/b/c"));
}

TEST_F(PathFollowerTest, RemovalOfDirectoryCausesCheckOfPathsBelow) {
  follow("/srv/lab/a");
  follow("/srv/x");
  settle();
  notify("/srv/lab", "", IN_DELETE_SELF);
  EXPECT_THAT(inotify_.watched(), ElementsAre("/", "/srv"));
  loop_.advance(0ms);
  EXPECT_THAT(paths_.asked.back(), ElementsAre("/srv/lab/a"));
  EXPECT_EQ(settle(), 1U) << "another directory is there, and is watched now";
  EXPECT_THAT(inotify_.watched(), ElementsAre("/", "/srv", "/srv/lab"));
}

TEST_F(PathFollowerTest, WatchesALinkTargetWhileTheLinkPointsToIt) {
  paths_.links["/dev/by-id/x"] = {"/one/tty"};
  follow("/dev/by-id/x");
  settle();
  EXPECT_THAT(inotify_.watched(), ElementsAre("/", "/dev", "/dev/by-id", "/one"));
  notify("/one", "tty", IN_DELETE);
  EXPECT_EQ(settle(), 1U);
  paths_.links["/dev/by-id/x"] = {"/two/tty"};
  loop_.advance(kLong);
  notify("/dev/by-id", "x");
  settle();
  EXPECT_THAT(inotify_.watched(), ElementsAre("/", "/dev", "/dev/by-id", "/two"));
  loop_.advance(kLong);
  notify("/", "two", IN_MOVED_FROM);
  EXPECT_EQ(settle(), 1U);
  loop_.advance(kLong);
  notify("/two", "", IN_MOVE_SELF);
  EXPECT_EQ(settle(), 2U);
  drop("/dev/by-id/x");
  EXPECT_THAT(inotify_.watched(), IsEmpty());
}

TEST_F(PathFollowerTest, RechecksAfterAnEventDuringACheck) {
  follow("/srv/x");
  settle();
  notify("/srv", "x");
  loop_.advance(0ms);
  const size_t jobs = paths_.asked.size();
  // The event comes during the check, so the result of the check is outdated.
  notify("/srv", "x");
  paths_.links["/srv/x"] = {};
  paths_.end();
  paths_.links["/srv/x"] = {"/other/x"};
  loop_.advance(kLong);
  settle();
  EXPECT_GT(paths_.asked.size(), jobs);
  EXPECT_THAT(inotify_.watched(), ElementsAre("/", "/other", "/srv"));
}

TEST_F(PathFollowerTest, ChecksABusyPathOncePerSecond) {
  follow("/srv/x");
  settle();
  const auto looks_in = [&](loop::Milliseconds time) {
    const size_t before = paths_.asked.size();
    for (const auto end = loop_.now() + time; loop_.now() < end; loop_.advance(10ms)) {
      for (int k = 0; k < 10; ++k) notify("/srv", "x", k % 2 == 0 ? IN_DELETE : IN_CREATE);
      settle();
    }
    return paths_.asked.size() - before;
  };
  EXPECT_LE(looks_in(1s), 1U + PathFollower::kBurst) << "a few at once";
  EXPECT_LE(looks_in(3s), 4U);
  // The last state is not lost, although the path is checked less often.
  paths_.states["/srv/x"] = kMissing;
  loop_.advance(kLong);
  settle();
  EXPECT_TRUE(missing("/srv/x"));
}

TEST_F(PathFollowerTest, ChangeWithoutEventRefreshesChain) {
  follow("/mnt/x");
  settle();
  // Simulates a mount at /mnt, which no event reports.
  paths_.states["/mnt/x"] = kMissing;
  paths_.links["/mnt/x"] = {"/far/x"};
  loop_.advance(kPeriod);
  settle();
  EXPECT_THAT(inotify_.watched(), ElementsAre("/", "/far", "/mnt"));
}

TEST_F(PathFollowerTest, LostEventsCauseOneCheckOfAllPaths) {
  for (const std::string path : {"/a/x", "/b/x", "/c/x"}) follow(path);
  settle();
  inotify_.notify_all({.mask = IN_Q_OVERFLOW, .name = ""});
  EXPECT_EQ(settle(), 1U);
  EXPECT_THAT(paths_.asked.back(), ElementsAre("/a/x", "/b/x", "/c/x"));
}

TEST_F(PathFollowerTest, PollsWithoutWatchesAndLogsReasonOnce) {
  inotify_.refuses = true;
  testing::internal::CaptureStderr();
  for (int i = 0; i < 100; ++i) follow("/srv/" + std::to_string(i) + "/lib");
  settle();
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(
      log,
      HasSubstr("some paths cannot be watched: changes are detected late reason=\"cannot watch "));
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1) << log;
  EXPECT_EQ(settle(), 0U);
  paths_.states["/srv/7/lib"] = kMissing;
  loop_.advance(kPeriod);
  settle();
  EXPECT_TRUE(missing("/srv/7/lib"));
  // At the next change, a watch can succeed.
  inotify_.refuses = false;
  paths_.states.clear();
  loop_.advance(kPeriod);
  settle();
  EXPECT_THAT(inotify_.watched(), ElementsAre("/", "/srv", "/srv/7"));
}

TEST_F(PathFollowerTest, RemovesWatchesWithTheLastFollower) {
  paths_.links["/srv/b/x"] = {"/far/x"};
  follow("/srv/a/x");
  follow("/srv/b/x");
  CountingListener other;
  follower_.follow("/srv/a/x", other);
  settle();
  EXPECT_EQ(inotify_.count(), 5U);
  drop("/srv/a/x");
  EXPECT_EQ(inotify_.count(), 5U);
  drop("/srv/b/x");
  EXPECT_THAT(inotify_.watched(), ElementsAre("/", "/srv", "/srv/a"));
  follower_.drop("/srv/a/x", other);
  EXPECT_THAT(inotify_.watched(), IsEmpty());
  EXPECT_EQ(loop_.until_next_timer(), std::nullopt);
}

TEST_F(PathFollowerTest, ReportsAnEventAgainWhenTheNewChainIsWatched) {
  follow("/srv/x");
  settle();
  EXPECT_THAT(listener_.events, ElementsAre("/srv/x")) << "from now on it is heard";
  notify("/srv", "x");
  EXPECT_THAT(listener_.events, ElementsAre("/srv/x", "/srv/x"));
  settle();
  EXPECT_THAT(listener_.events, ElementsAre("/srv/x", "/srv/x")) << "it is where it was";
  paths_.links["/srv/x"] = {"/far/x"};
  notify("/srv", "x");
  settle();
  EXPECT_THAT(listener_.events, ElementsAre("/srv/x", "/srv/x", "/srv/x", "/srv/x"));
}

TEST_F(PathFollowerTest, RetriesAWatchThatFailed) {
  follow("/srv/x");
  inotify_.refuses = true;
  loop_.advance(0ms);
  paths_.end();
  inotify_.refuses = false;
  settle();
  EXPECT_TRUE(follower_.reports_all_changes("/srv/x"));
  EXPECT_THAT(inotify_.watched(), ElementsAre("/", "/srv"));
}

}  // namespace
}  // namespace patchbay::paths
