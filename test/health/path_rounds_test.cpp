#include "health/path_rounds.h"

#include <sys/inotify.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "fake/manual_inotify.h"
#include "fake/manual_loop.h"
#include "health/scripted_runner.h"

namespace patchbay::health {
namespace {

using namespace std::chrono_literals;
using inventory::NeededPath;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// Counts how often it was told.
struct CountingUser final : PathUser {
  void paths_changed() override { ++changes; }
  int changes = 0;
};

/// The time stands still unless a test moves it, so that no period passes by itself.
class PathRoundsTest : public testing::Test {
 protected:
  void need(const std::string& path, bool device_node = false) {
    rounds_.need({path, device_node}, user_);
  }
  void release(const std::string& path) { rounds_.release({path, false}, user_); }
  /// All that is to be looked at now is. How many jobs that took.
  size_t settle() {
    const size_t before = paths_.asked.size();
    do loop_.advance(0ms);
    while (paths_.end());
    return paths_.asked.size() - before;
  }
  void tell(const std::string& directory, const std::string& entry, uint32_t mask = IN_CREATE) {
    inotify_.tell(directory, {.mask = mask, .name = entry});
  }
  [[nodiscard]] std::string fault(const std::string& path) const {
    return rounds_.fault({path, false});
  }

  fake::ManualLoop loop_;
  fake::ManualInotify inotify_;
  ScriptedPaths paths_;
  CountingUser user_;
  PathRounds rounds_{loop_, paths_, {.random = [] { return 0.5; }, .inotify = &inotify_}, [] {}};
};

TEST_F(PathRoundsTest, APathThatGoesAndComesShowsWithoutAPeriod) {
  need("/srv/lab/lib");
  settle();
  paths_.faults["/srv/lab/lib"] = "does not exist";
  tell("/srv/lab", "lib", IN_DELETE);
  settle();
  EXPECT_EQ(fault("/srv/lab/lib"), "does not exist");
  EXPECT_EQ(user_.changes, 1);
  paths_.faults.clear();
  loop_.advance(PathRounds::kLeastBetweenEvents);
  tell("/srv/lab", "lib");
  settle();
  EXPECT_EQ(fault("/srv/lab/lib"), "");
  EXPECT_EQ(user_.changes, 2);
}

TEST_F(PathRoundsTest, WhatBeginsToBeWatchedIsLookedAtOnceMore) {
  need("/dev/a");
  EXPECT_EQ(settle(), 2U);
  need("/dev/b");
  EXPECT_EQ(settle(), 1U) << "all that leads there was watched before";
  EXPECT_EQ(paths_.asked.back(), std::vector<std::string>{"/dev/b"});
}

TEST_F(PathRoundsTest, TenThousandUnitsInADirectoryShareItsWatch) {
  for (int i = 0; i < 10'000; ++i) {
    need("/dev/a" + std::to_string(i), true);
    need("/dev/b" + std::to_string(i), true);
  }
  EXPECT_EQ(settle(), 2U);
  EXPECT_EQ(inotify_.count(), 2U);
  EXPECT_THAT(inotify_.watched(), ElementsAre("/", "/dev"));
  for (int i = 0; i < 1000; ++i) tell("/dev", "pts" + std::to_string(i));
  EXPECT_EQ(settle(), 0U) << "nobody needs that";
  tell("/dev", "a17", IN_DELETE);
  tell("/dev", "b4", IN_DELETE);
  EXPECT_EQ(settle(), 1U);
  EXPECT_THAT(paths_.asked.back(), ElementsAre("/dev/a17", "/dev/b4"));
}

TEST_F(PathRoundsTest, AnEventAboveConcernsAllThatIsBelow) {
  for (const std::string path : {"/srv/lab/a", "/srv/lab/b/c", "/srv/lab", "/srv/labs/a"}) {
    need(path);
  }
  settle();
  tell("/srv", "lab", IN_MOVED_FROM);
  settle();
  EXPECT_THAT(paths_.asked.back(), ElementsAre("/srv/lab", "/srv/lab/a", "/srv/lab/b/c"));
}

TEST_F(PathRoundsTest, TheEndOfADirectoryConcernsAllThatIsBelow) {
  need("/srv/lab/a");
  need("/srv/x");
  settle();
  tell("/srv/lab", "", IN_DELETE_SELF);
  EXPECT_THAT(inotify_.watched(), ElementsAre("/", "/srv"));
  loop_.advance(0ms);
  EXPECT_THAT(paths_.asked.back(), ElementsAre("/srv/lab/a"));
  EXPECT_EQ(settle(), 1U) << "another directory is there, and is watched now";
  EXPECT_THAT(inotify_.watched(), ElementsAre("/", "/srv", "/srv/lab"));
}

TEST_F(PathRoundsTest, WhereALinkLeadsIsWatchedAsLongAsItLeadsThere) {
  paths_.links["/dev/by-id/x"] = {"/one/tty"};
  need("/dev/by-id/x");
  settle();
  EXPECT_THAT(inotify_.watched(), ElementsAre("/", "/dev", "/dev/by-id", "/one"));
  tell("/one", "tty", IN_DELETE);
  EXPECT_EQ(settle(), 1U);
  paths_.links["/dev/by-id/x"] = {"/two/tty"};
  loop_.advance(PathRounds::kLeastBetweenEvents);
  tell("/dev/by-id", "x");
  settle();
  EXPECT_THAT(inotify_.watched(), ElementsAre("/", "/dev", "/dev/by-id", "/two"));
  loop_.advance(PathRounds::kLeastBetweenEvents);
  tell("/", "two", IN_MOVED_FROM);
  EXPECT_EQ(settle(), 1U);
  loop_.advance(PathRounds::kLeastBetweenEvents);
  tell("/two", "", IN_MOVE_SELF);
  EXPECT_EQ(settle(), 2U);
  release("/dev/by-id/x");
  EXPECT_THAT(inotify_.watched(), IsEmpty());
}

TEST_F(PathRoundsTest, WhatHappensDuringALookIsLookedAt) {
  need("/srv/x");
  settle();
  tell("/srv", "x");
  loop_.advance(0ms);
  const size_t jobs = paths_.asked.size();
  // The way that is being looked for is an old one.
  tell("/srv", "x");
  paths_.links["/srv/x"] = {};
  paths_.end();
  paths_.links["/srv/x"] = {"/other/x"};
  loop_.advance(PathRounds::kLeastBetweenEvents);
  settle();
  EXPECT_GT(paths_.asked.size(), jobs);
  EXPECT_THAT(inotify_.watched(), ElementsAre("/", "/other", "/srv"));
}

TEST_F(PathRoundsTest, WhatHappensAllTheTimeIsLookedAtOnceASecond) {
  need("/srv/x");
  settle();
  const size_t before = paths_.asked.size();
  for (int i = 0; i < 300; ++i) {
    for (int k = 0; k < 10; ++k) tell("/srv", "x", k % 2 == 0 ? IN_DELETE : IN_CREATE);
    settle();
    loop_.advance(10ms);
  }
  EXPECT_EQ(paths_.asked.size() - before, 4U);
  // The last one counts.
  paths_.faults["/srv/x"] = "does not exist";
  loop_.advance(PathRounds::kLeastBetweenEvents);
  settle();
  EXPECT_EQ(fault("/srv/x"), "does not exist");
}

TEST_F(PathRoundsTest, AChangeThatNothingToldHasItsWayLookedForAgain) {
  need("/mnt/x");
  settle();
  // Something else was mounted at /mnt.
  paths_.faults["/mnt/x"] = "does not exist";
  paths_.links["/mnt/x"] = {"/far/x"};
  loop_.advance(PathRounds::kPeriod + PathRounds::kPeriod / 8);
  settle();
  EXPECT_THAT(inotify_.watched(), ElementsAre("/", "/far", "/mnt"));
}

TEST_F(PathRoundsTest, LostEventsAreOneLookAtAll) {
  for (const std::string path : {"/a/x", "/b/x", "/c/x"}) need(path);
  settle();
  inotify_.tell_all({.mask = IN_Q_OVERFLOW, .name = ""});
  EXPECT_EQ(settle(), 1U);
  EXPECT_THAT(paths_.asked.back(), ElementsAre("/a/x", "/b/x", "/c/x"));
}

TEST_F(PathRoundsTest, WithoutWatchesThePeriodIsLeftAndThatIsSaidOnce) {
  inotify_.refuses = true;
  testing::internal::CaptureStderr();
  for (int i = 0; i < 100; ++i) need("/srv/" + std::to_string(i) + "/lib");
  settle();
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("changes of some paths that units need are noticed late reason="
                             "\"cannot watch "));
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1) << log;
  EXPECT_EQ(settle(), 0U);
  paths_.faults["/srv/7/lib"] = "does not exist";
  loop_.advance(PathRounds::kPeriod + PathRounds::kPeriod / 8);
  settle();
  EXPECT_EQ(fault("/srv/7/lib"), "does not exist");
  // The next time that something changes, there may be some.
  inotify_.refuses = false;
  paths_.faults.clear();
  loop_.advance(PathRounds::kPeriod + PathRounds::kPeriod / 8);
  settle();
  EXPECT_THAT(inotify_.watched(), ElementsAre("/", "/srv", "/srv/7"));
}

TEST_F(PathRoundsTest, WatchesGoWithTheLastThatNeedsThem) {
  paths_.links["/srv/b/x"] = {"/far/x"};
  need("/srv/a/x");
  need("/srv/b/x");
  need("/srv/b/x", true);
  CountingUser other;
  rounds_.need({"/srv/a/x", false}, other);
  settle();
  EXPECT_EQ(inotify_.count(), 5U);
  release("/srv/a/x");
  release("/srv/b/x");
  EXPECT_EQ(inotify_.count(), 5U);
  rounds_.release({"/srv/b/x", true}, user_);
  EXPECT_THAT(inotify_.watched(), ElementsAre("/", "/srv", "/srv/a"));
  rounds_.release({"/srv/a/x", false}, other);
  EXPECT_THAT(inotify_.watched(), IsEmpty());
  EXPECT_EQ(loop_.until_next_timer(), std::nullopt);
}

}  // namespace
}  // namespace patchbay::health
