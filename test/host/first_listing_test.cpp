#include <sys/stat.h>

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "fake/manual_inotify.h"
#include "fake/manual_loop.h"
#include "fake/manual_work_queue.h"
#include "fake/scripted_paths.h"
#include "fake/temp_dir.h"
#include "host/glob_source.h"
#include "host/recording_hints.h"
#include "host/recording_listener.h"
#include "paths/path_follower.h"

namespace patchbay::host {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using Keys = std::vector<std::string>;

/// The test controls the clock. Followed paths are checked only by settle().
class FirstListingTest : public testing::Test {
 protected:
  FirstListingTest() {
    dir.write("one", "");
    paths.states[dir.path()] = {.kind = paths::PathState::Kind::exists, .mode = S_IFDIR};
    globs.start([this] { ++listed; });
    loop.advance(0ms);
  }

  /// Runs all due tasks and checks of paths.
  void settle() {
    do loop.advance(0ms);
    while (paths.end());
  }

  fake::TempDir dir;
  fake::ManualLoop loop;
  fake::ManualWorkQueue threads{loop};
  fake::ManualInotify inotify;
  fake::ScriptedPaths paths;
  RecordingHints hints;
  RecordingListener listener;
  Targets targets{{dir / "*"}, {}};
  UnresponsiveReads missing{loop, targets, listener};
  Keys mounts_of;  ///< Paths whose mount was looked up.
  paths::PathFollower follower{loop, paths, {.inotify = &inotify}};
  GlobSource globs{loop,
                   [this](loop::Task blocking, loop::WorkQueue::Callbacks callbacks) {
                     return threads.run(std::move(blocking), std::move(callbacks));
                   },
                   [this](const std::string& path) {
                     mounts_of.push_back(path);
                     return std::string();
                   },
                   &follower,
                   targets,
                   hints,
                   missing,
                   listener};
  int listed = 0;
};

TEST_F(FirstListingTest, ListsOnceIfPathsAreFollowedInTime) {
  EXPECT_THAT(hints.scans, IsEmpty());
  EXPECT_EQ(listed, 0);
  settle();
  EXPECT_THAT(hints.scans, ElementsAre(Pair(ReadReason::found, Keys{dir / "one"})));
  EXPECT_EQ(listed, 1);
  loop.advance(10s);
  settle();
  EXPECT_EQ(hints.scans.size(), 1U);
}

TEST_F(FirstListingTest, LooksUpNoMountIfListingDoesNotHang) {
  settle();
  globs.rescan();
  settle();
  EXPECT_EQ(listed, 1);
  EXPECT_THAT(mounts_of, IsEmpty());
}

TEST_F(FirstListingTest, ListsBeforeAndAfterSlowPathIsFollowed) {
  loop.advance(GlobSource::kFollowTimeout - 1ms);
  EXPECT_EQ(listed, 0);
  loop.advance(1ms);
  EXPECT_THAT(hints.scans, ElementsAre(Pair(ReadReason::found, Keys{dir / "one"})));
  EXPECT_EQ(listed, 1);
  // When the path is followed, it is listed again, because devices that came before the watch may
  // be missing.
  settle();
  EXPECT_THAT(hints.scans, ElementsAre(Pair(ReadReason::found, Keys{dir / "one"}),
                                       Pair(ReadReason::rescan, Keys{dir / "one"}),
                                       Pair(ReadReason::found, Keys{dir / "one"})));
}

}  // namespace
}  // namespace patchbay::host
