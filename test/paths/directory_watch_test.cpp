#include "paths/directory_watch.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "fake/run_until.h"
#include "fake/temp_dir.h"
#include "loop/event_loop.h"

namespace patchbay::paths {
namespace {

using testing::Contains;
using testing::IsEmpty;
namespace fs = std::filesystem;

class DirectoryWatchTest : public testing::Test {
 protected:
  [[nodiscard]] bool reports(const std::string& text) {
    const bool found =
        fake::run_until(loop, [&] { return std::ranges::find(reported, text) != reported.end(); });
    reported.clear();
    return found;
  }

  fake::TempDir dir;
  loop::UvLoop loop;
  std::unique_ptr<loop::Inotify> inotify = loop::Inotify::create(loop).value();
  std::vector<std::string> reported;
  DirectoryWatch watch{
      *inotify,
      dir / "lib/plugins",
      {.on_event = [this](const auto& event) { reported.push_back(event.name); },
       .on_changed =
           [this](bool is_there) { reported.emplace_back(is_there ? "another" : "none"); }}};
};

TEST_F(DirectoryWatchTest, ReportsEntriesFromTheStart) {
  fs::create_directories(dir / "lib/plugins");
  watch.start();
  EXPECT_THAT(reported, IsEmpty());
  dir.write("lib/plugins/a", "");
  EXPECT_TRUE(reports("a"));
  watch.stop();
  watch.start();
  dir.write("lib/plugins/b", "");
  EXPECT_TRUE(reports("b"));
}

TEST_F(DirectoryWatchTest, ReportsCreationRemovalAndReplacement) {
  watch.start();
  for (int i = 0; i < 3; ++i) {
    fs::create_directories(dir / "lib/plugins");
    EXPECT_TRUE(reports("another"));
    dir.write("lib/plugins/a", "");
    EXPECT_TRUE(reports("a"));
    fs::remove_all(dir / "lib");
    EXPECT_TRUE(reports("none"));
  }
}

TEST_F(DirectoryWatchTest, FollowsARenamedAndRecreatedParent) {
  fs::create_directories(dir / "lib/plugins");
  watch.start();
  fs::rename(dir / "lib", dir / "old");
  EXPECT_TRUE(reports("none"));
  fs::create_directories(dir / "lib/plugins");
  EXPECT_TRUE(reports("another"));
  dir.write("lib/plugins/a", "");
  EXPECT_TRUE(reports("a"));
}

TEST_F(DirectoryWatchTest, FollowsARetargetedLink) {
  fs::create_directories(dir / "one/plugins");
  fs::create_directories(dir / "two/plugins");
  fs::create_directory_symlink("one", dir / "lib");
  watch.start();
  fs::create_directory_symlink("two", dir / "next");
  fs::rename(dir / "next", dir / "lib");
  EXPECT_TRUE(reports("another"));
  dir.write("two/plugins/a", "");
  EXPECT_TRUE(reports("a"));
}

}  // namespace
}  // namespace patchbay::paths
