// Tests how events of paths are followed, with the real loop and inotify and without periodic
// checks.
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "fake/run_until.h"
#include "fake/temp_dir.h"
#include "loop/work_queue.h"
#include "paths/path_follower.h"

namespace patchbay::host {
namespace {

namespace fs = std::filesystem;

class PathEventsTest : public testing::Test, private paths::PathListener {
 protected:
  /// Follows the path. Returns when all its changes cause events.
  void follow(const std::string& path) {
    followed = path;
    follower.follow(path, *this);
    EXPECT_TRUE(until([&] { return follower.idle() && follower.reports_all_changes(path); }));
  }
  [[nodiscard]] bool until(const std::function<bool()>& done) {
    return fake::run_until(loop, done);
  }
  [[nodiscard]] bool is_there() { return comes_to(paths::PathState::Kind::exists); }
  [[nodiscard]] bool is_missing() { return comes_to(paths::PathState::Kind::missing); }
  [[nodiscard]] bool comes_to(paths::PathState::Kind kind) {
    return until([&] { return follower.state(followed).kind == kind; });
  }
  [[nodiscard]] bool is_of(mode_t type) {
    return until([&] { return (follower.state(followed).mode & S_IFMT) == type; });
  }

  fake::TempDir dir;
  loop::UvLoop loop;
  loop::WorkQueue threads{loop};
  std::unique_ptr<loop::Inotify> inotify = *loop::Inotify::create(loop);
  std::unique_ptr<paths::PathChecker> checker = paths::PathChecker::create(threads, {});
  std::string followed;
  paths::PathFollower follower{loop, *checker, {.inotify = inotify.get()}};
};

TEST_F(PathEventsTest, ReportsRemovalCreationAndReplacement) {
  const std::string file = dir.write("srv/lib", "");
  follow(dir / "srv/lib");
  EXPECT_TRUE(is_there());
  fs::remove(file);
  EXPECT_TRUE(is_missing());
  fs::rename(dir.write("new", ""), file);
  EXPECT_TRUE(is_there());
  fs::rename(file, dir / "srv/other");
  EXPECT_TRUE(is_missing());
}

TEST_F(PathEventsTest, ReportsChangedTypeOfPath) {
  dir.write("dev/tty", "");
  follow(dir / "dev/tty");
  EXPECT_TRUE(is_of(S_IFREG));
  fs::remove(dir / "dev/tty");
  fs::create_symlink("/dev/null", dir / "dev/tty");
  EXPECT_TRUE(is_of(S_IFCHR));
  fs::create_directory(dir / "dev/new");
  fs::remove(dir / "dev/tty");
  fs::rename(dir / "dev/new", dir / "dev/tty");
  EXPECT_TRUE(is_of(S_IFDIR));
}

TEST_F(PathEventsTest, FollowsDistantAncestorDirectories) {
  follow(dir / "srv/lab/vendor/lib/x");
  EXPECT_TRUE(is_missing());
  dir.write("srv/lab/vendor/lib/x", "");
  EXPECT_TRUE(is_there());
  fs::rename(dir / "srv/lab", dir / "srv/old");
  EXPECT_TRUE(is_missing());
  fs::rename(dir / "srv/old", dir / "srv/lab");
  EXPECT_TRUE(is_there());
  fs::remove_all(dir / "srv");
  EXPECT_TRUE(is_missing());
  dir.write("srv/lab/vendor/lib/x", "");
  EXPECT_TRUE(is_there());
}

TEST_F(PathEventsTest, FollowsAnExchangedDirectory) {
  dir.write("srv/lab/lib/x", "");
  fs::create_directories(dir / "srv/next/lib");
  follow(dir / "srv/lab/lib/x");
  EXPECT_TRUE(is_there());
  ASSERT_EQ(::renameat2(AT_FDCWD, (dir / "srv/lab").c_str(), AT_FDCWD, (dir / "srv/next").c_str(),
                        RENAME_EXCHANGE),
            0);
  EXPECT_TRUE(is_missing());
  dir.write("srv/lab/lib/x", "");
  EXPECT_TRUE(is_there()) << "what stands there now is watched";
}

TEST_F(PathEventsTest, FollowsRetargetedLinks) {
  dir.write("srv/v1/lib", "");
  fs::create_directories(dir / "srv/v2");
  fs::create_directory_symlink("v1", dir / "srv/now");
  fs::create_directory(dir / "dev");
  fs::create_symlink("../srv/now/lib", dir / "dev/lib");
  follow(dir / "dev/lib");
  EXPECT_TRUE(is_there());
  fs::create_directory_symlink("v2", dir / "srv/next");
  fs::rename(dir / "srv/next", dir / "srv/now");
  EXPECT_TRUE(is_missing());
  dir.write("srv/v2/lib", "");
  EXPECT_TRUE(is_there());
  fs::remove(dir / "srv/v2/lib");
  EXPECT_TRUE(is_missing());
  fs::remove(dir / "dev/lib");
  dir.write("dev/lib", "");
  EXPECT_TRUE(is_there());
}

TEST_F(PathEventsTest, FollowsATreeThatIsRecreatedOften) {
  follow(dir / "srv/lab/vendor/x");
  for (int i = 0; i < 5; ++i) {
    dir.write("srv/lab/vendor/x", "");
    EXPECT_TRUE(is_there()) << i;
    fs::rename(dir / "srv", dir / "old");
    fs::create_directories(dir / "srv/lab");
    EXPECT_TRUE(is_missing()) << i;
    fs::remove_all(dir / "old");
    fs::remove_all(dir / "srv");
  }
}

}  // namespace
}  // namespace patchbay::host
