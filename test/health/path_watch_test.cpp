// Paths that units need, on the real loop with real inotify, and with a period that never passes.
#include "health/path_watch.h"

#include <fcntl.h>
#include <stdio.h>

#include <filesystem>

#include "health/path_rounds.h"
#include "health/runner_fixture.h"

namespace patchbay::health {
namespace {

using inventory::NeededPath;
namespace fs = std::filesystem;

struct IdleUser final : PathUser {
  void paths_changed() override {}
};

class PathWatchTest : public RunnerTest {
 protected:
  /// Returns when it has been looked at.
  void need(const std::string& path, bool device_node = false) {
    needed = {path, device_node};
    rounds.need(needed, user);
    EXPECT_TRUE(until([&] { return rounds.idle(); }));
  }
  [[nodiscard]] bool comes_to(const std::string& fault) {
    return until([&] { return rounds.fault(needed) == fault; });
  }
  [[nodiscard]] bool is_there() { return comes_to(""); }
  [[nodiscard]] bool is_missing() { return comes_to("does not exist"); }

  std::unique_ptr<loop::Inotify> inotify = *loop::Inotify::create(loop);
  std::unique_ptr<PathCheck> check = PathCheck::create(threads, {});
  IdleUser user;
  NeededPath needed;
  PathRounds rounds{loop,
                    *check,
                    {.random = [] { return 0.5; },
                     .inotify = inotify.get(),
                     .period = std::chrono::hours(24),
                     .least_between_events = {}},
                    [] {}};
};

TEST_F(PathWatchTest, APathThatGoesComesAndIsReplaced) {
  const std::string file = dir.write("srv/lib", "");
  need(dir / "srv/lib");
  EXPECT_TRUE(is_there());
  fs::remove(file);
  EXPECT_TRUE(is_missing());
  fs::rename(dir.write("new", ""), file);
  EXPECT_TRUE(is_there());
  fs::rename(file, dir / "srv/other");
  EXPECT_TRUE(is_missing());
}

TEST_F(PathWatchTest, APathThatComesToBeOfTheWrongType) {
  dir.write("dev/tty", "");
  need(dir / "dev/tty", true);
  EXPECT_TRUE(comes_to("is a file, not a device node"));
  fs::remove(dir / "dev/tty");
  fs::create_symlink("/dev/null", dir / "dev/tty");
  EXPECT_TRUE(is_there());
  fs::create_directory(dir / "dev/new");
  fs::remove(dir / "dev/tty");
  fs::rename(dir / "dev/new", dir / "dev/tty");
  EXPECT_TRUE(comes_to("is a directory, not a device node"));
}

TEST_F(PathWatchTest, DirectoriesThatComeAndGoFarAbove) {
  need(dir / "srv/lab/vendor/lib/x");
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

TEST_F(PathWatchTest, ADirectoryThatIsExchanged) {
  dir.write("srv/lab/lib/x", "");
  fs::create_directories(dir / "srv/next/lib");
  need(dir / "srv/lab/lib/x");
  EXPECT_TRUE(is_there());
  ASSERT_EQ(::renameat2(AT_FDCWD, (dir / "srv/lab").c_str(), AT_FDCWD, (dir / "srv/next").c_str(),
                        RENAME_EXCHANGE),
            0);
  EXPECT_TRUE(is_missing());
  dir.write("srv/lab/lib/x", "");
  EXPECT_TRUE(is_there()) << "what stands there now is watched";
}

TEST_F(PathWatchTest, LinksThatAreTurned) {
  dir.write("srv/v1/lib", "");
  fs::create_directories(dir / "srv/v2");
  fs::create_directory_symlink("v1", dir / "srv/now");
  fs::create_directory(dir / "dev");
  fs::create_symlink("../srv/now/lib", dir / "dev/lib");
  need(dir / "dev/lib");
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

}  // namespace
}  // namespace patchbay::health
