#include "host/path_way.h"

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "fake/temp_dir.h"

namespace patchbay::host {
namespace {

using testing::ElementsAre;
namespace fs = std::filesystem;

class PathWayTest : public testing::Test {
 protected:
  /// Directory and entry of each place, without the prefix, which stands for the root.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> places(
      const std::string& file) const {
    return shown(way_to(HostRoot(dir.path()), file, true).places);
  }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> way(
      const std::string& path) const {
    return shown(way_to(HostRoot(dir.path()), path).places);
  }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> shown(
      const std::vector<Place>& all) const {
    std::vector<std::pair<std::string, std::string>> found;
    for (const Place& place : all) {
      struct stat status {};
      EXPECT_EQ(::stat(place.path.c_str(), &status), 0);
      EXPECT_EQ(place.inode, status.st_ino);
      EXPECT_EQ(place.device, status.st_dev);
      const bool below = place.path.starts_with(dir.path());
      found.emplace_back(below ? place.path.substr(dir.path().size()) : place.path, place.entry);
    }
    return found;
  }
  fake::TempDir dir;
};

TEST_F(PathWayTest, OfAFileAreItAndItsWay) {
  dir.write("etc/lab/bench", "7");
  EXPECT_THAT(places("/etc/lab/bench"),
              ElementsAre(std::pair("", "etc"), std::pair("/etc", "lab"),
                          std::pair("/etc/lab", "bench"), std::pair("/etc/lab/bench", "")));
  EXPECT_THAT(places("/etc/none"), ElementsAre(std::pair("", "etc"), std::pair("/etc", "none")));
}

TEST_F(PathWayTest, LinksMayGoRoundInCircles) {
  fs::create_symlink("b", dir / "a");
  fs::create_symlink("a", dir / "b");
  EXPECT_FALSE(places("/a").empty());
}

TEST_F(PathWayTest, RegularFilesAndDirectoriesAreWatchedThemselves) {
  ASSERT_EQ(::mkfifo((dir / "fifo").c_str(), 0600), 0);
  fs::create_directory(dir / "directory");
  EXPECT_THAT(places("/fifo"), ElementsAre(std::pair("", "fifo")));
  EXPECT_THAT(places("/directory"),
              ElementsAre(std::pair("", "directory"), std::pair("/directory", "")));
}

TEST_F(PathWayTest, OnTheWayIsEachDirectory) {
  dir.write("srv/lab/lib", "");
  EXPECT_THAT(way("/srv/lab/lib"), ElementsAre(std::pair("", "srv"), std::pair("/srv", "lab"),
                                               std::pair("/srv/lab", "lib")));
  EXPECT_EQ(way("/srv/lab/lib/below"), way("/srv/lab/lib")) << "it is a file";
  EXPECT_THAT(way("/srv/none/lib"), ElementsAre(std::pair("", "srv"), std::pair("/srv", "none")));
}

TEST_F(PathWayTest, OnTheWayIsWhereLinksLead) {
  dir.write("data/one/lib", "");
  fs::create_directory_symlink("one", dir / "data/now");
  fs::create_directory(dir / "etc");
  fs::create_symlink("../data/now/lib", dir / "etc/lib");
  EXPECT_THAT(way("/etc/lib"),
              ElementsAre(std::pair("", "etc"), std::pair("/etc", "lib"), std::pair("", "data"),
                          std::pair("/data", "now"), std::pair("/data", "one"),
                          std::pair("/data/one", "lib")));
}

TEST_F(PathWayTest, TheWayEndsWhereNothingIsReported) {
  EXPECT_THAT(shown(way_to({}, "/proc/self/comm").places), ElementsAre(std::pair("/", "proc")));
  EXPECT_THAT(shown(way_to({}, "/proc/self/comm", true).places),
              ElementsAre(std::pair("/", "proc")));
  EXPECT_FALSE(way_to({}, "/proc/self/comm").reported);
  EXPECT_FALSE(way_to({}, "/proc").reported);
  EXPECT_TRUE(way_to({}, dir.path()).reported);
  EXPECT_THAT(shown(way_to({}, "/sys/kernel/uevent_seqnum").places),
              ElementsAre(std::pair("/", "sys")));
  fs::create_symlink("/proc/self/mounts", dir / "mtab");
  EXPECT_EQ(shown(way_to({}, dir / "mtab").places).back(),
            std::pair(std::string("/"), std::string("proc")));
}

}  // namespace
}  // namespace patchbay::host
