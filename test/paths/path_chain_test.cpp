#include "paths/path_chain.h"

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "fake/temp_dir.h"

namespace patchbay::paths {
namespace {

using testing::ElementsAre;
namespace fs = std::filesystem;

class PathChainTest : public testing::Test {
 protected:
  /// Directory and entry of each watch point, without the prefix that replaces the root.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> watch_points(
      const std::string& file) const {
    return shown(path_chain(HostRoot(dir.path()), file, true).watch_points);
  }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> chain(
      const std::string& path) const {
    return shown(path_chain(HostRoot(dir.path()), path).watch_points);
  }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> shown(
      const std::vector<WatchPoint>& all) const {
    std::vector<std::pair<std::string, std::string>> found;
    for (const WatchPoint& point : all) {
      struct stat status {};
      EXPECT_EQ(::stat(point.path.c_str(), &status), 0);
      EXPECT_EQ(point.inode, status.st_ino);
      EXPECT_EQ(point.device, status.st_dev);
      const bool below = point.path.starts_with(dir.path());
      found.emplace_back(below ? point.path.substr(dir.path().size()) : point.path, point.entry);
    }
    return found;
  }
  fake::TempDir dir;
};

TEST_F(PathChainTest, ChainOfAFileIncludesTheFile) {
  dir.write("etc/lab/bench", "7");
  EXPECT_THAT(watch_points("/etc/lab/bench"),
              ElementsAre(std::pair("", "etc"), std::pair("/etc", "lab"),
                          std::pair("/etc/lab", "bench"), std::pair("/etc/lab/bench", "")));
  EXPECT_THAT(watch_points("/etc/none"),
              ElementsAre(std::pair("", "etc"), std::pair("/etc", "none")));
}

TEST_F(PathChainTest, EndsAtCircularLinks) {
  fs::create_symlink("b", dir / "a");
  fs::create_symlink("a", dir / "b");
  EXPECT_FALSE(watch_points("/a").empty());
}

TEST_F(PathChainTest, WatchesRegularFilesAndDirectoriesThemselves) {
  ASSERT_EQ(::mkfifo((dir / "fifo").c_str(), 0600), 0);
  fs::create_directory(dir / "directory");
  EXPECT_THAT(watch_points("/fifo"), ElementsAre(std::pair("", "fifo")));
  EXPECT_THAT(watch_points("/directory"),
              ElementsAre(std::pair("", "directory"), std::pair("/directory", "")));
}

TEST_F(PathChainTest, IncludesEachDirectory) {
  dir.write("srv/lab/lib", "");
  EXPECT_THAT(chain("/srv/lab/lib"), ElementsAre(std::pair("", "srv"), std::pair("/srv", "lab"),
                                                 std::pair("/srv/lab", "lib")));
  EXPECT_EQ(chain("/srv/lab/lib/below"), chain("/srv/lab/lib")) << "it is a file";
  EXPECT_THAT(chain("/srv/none/lib"), ElementsAre(std::pair("", "srv"), std::pair("/srv", "none")));
}

TEST_F(PathChainTest, IncludesLinkTargets) {
  dir.write("data/one/lib", "");
  fs::create_directory_symlink("one", dir / "data/now");
  fs::create_directory(dir / "etc");
  fs::create_symlink("../data/now/lib", dir / "etc/lib");
  EXPECT_THAT(chain("/etc/lib"),
              ElementsAre(std::pair("", "etc"), std::pair("/etc", "lib"), std::pair("", "data"),
                          std::pair("/data", "now"), std::pair("/data", "one"),
                          std::pair("/data/one", "lib")));
}

TEST_F(PathChainTest, EndsAtFileSystemsThatReportNoEvents) {
  EXPECT_THAT(shown(path_chain({}, "/proc/self/comm").watch_points),
              ElementsAre(std::pair("/", "proc")));
  EXPECT_THAT(shown(path_chain({}, "/proc/self/comm", true).watch_points),
              ElementsAre(std::pair("/", "proc")));
  EXPECT_FALSE(path_chain({}, "/proc/self/comm").reported);
  EXPECT_FALSE(path_chain({}, "/proc").reported);
  EXPECT_TRUE(path_chain({}, dir.path()).reported);
  EXPECT_THAT(shown(path_chain({}, "/sys/kernel/uevent_seqnum").watch_points),
              ElementsAre(std::pair("/", "sys")));
  fs::create_symlink("/proc/self/mounts", dir / "mtab");
  EXPECT_EQ(shown(path_chain({}, dir / "mtab").watch_points).back(),
            std::pair(std::string("/"), std::string("proc")));
}

}  // namespace
}  // namespace patchbay::paths
