#include "host/directory_watch.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "fake/run_until.h"
#include "fake/temp_dir.h"
#include "loop/event_loop.h"

namespace patchbay::host {
namespace {

using testing::Contains;
using testing::IsEmpty;
namespace fs = std::filesystem;

class DirectoryWatchTest : public testing::Test {
 protected:
  [[nodiscard]] bool tells(const std::string& text) {
    const bool told_it =
        fake::run_until(loop, [&] { return std::ranges::find(told, text) != told.end(); });
    told.clear();
    return told_it;
  }

  fake::TempDir dir;
  loop::UvLoop loop;
  std::unique_ptr<loop::Inotify> inotify = loop::Inotify::create(loop).value();
  std::vector<std::string> told;
  DirectoryWatch watch{
      *inotify,
      dir / "lib/plugins",
      {.on_event = [this](const auto& event) { told.push_back(event.name); },
       .on_changed = [this](bool is_there) { told.emplace_back(is_there ? "another" : "none"); }}};
};

TEST_F(DirectoryWatchTest, TellsEntriesFromTheStart) {
  fs::create_directories(dir / "lib/plugins");
  watch.start();
  EXPECT_THAT(told, IsEmpty());
  dir.write("lib/plugins/a", "");
  EXPECT_TRUE(tells("a"));
  watch.stop();
  watch.start();
  dir.write("lib/plugins/b", "");
  EXPECT_TRUE(tells("b"));
}

TEST_F(DirectoryWatchTest, ComesGoesAndIsMadeAnew) {
  watch.start();
  for (int i = 0; i < 3; ++i) {
    fs::create_directories(dir / "lib/plugins");
    EXPECT_TRUE(tells("another"));
    dir.write("lib/plugins/a", "");
    EXPECT_TRUE(tells("a"));
    fs::remove_all(dir / "lib");
    EXPECT_TRUE(tells("none"));
  }
}

TEST_F(DirectoryWatchTest, ADirectoryAboveThatIsRenamedAndMadeAnew) {
  fs::create_directories(dir / "lib/plugins");
  watch.start();
  fs::rename(dir / "lib", dir / "old");
  EXPECT_TRUE(tells("none"));
  fs::create_directories(dir / "lib/plugins");
  EXPECT_TRUE(tells("another"));
  dir.write("lib/plugins/a", "");
  EXPECT_TRUE(tells("a"));
}

TEST_F(DirectoryWatchTest, ALinkThatIsTurned) {
  fs::create_directories(dir / "one/plugins");
  fs::create_directories(dir / "two/plugins");
  fs::create_directory_symlink("one", dir / "lib");
  watch.start();
  fs::create_directory_symlink("two", dir / "next");
  fs::rename(dir / "next", dir / "lib");
  EXPECT_TRUE(tells("another"));
  dir.write("two/plugins/a", "");
  EXPECT_TRUE(tells("a"));
}

}  // namespace
}  // namespace patchbay::host
