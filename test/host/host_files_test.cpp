#include "host/host_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "fake/temp_dir.h"

namespace patchbay::host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
namespace fs = std::filesystem;

class HostFileTest : public testing::Test {
 protected:
  [[nodiscard]] std::optional<std::string> read(const std::string& name) const {
    return read_host_file(dir / name);
  }
  fake::TempDir dir;
};

TEST_F(HostFileTest, IsTheContentWithoutItsEnd) {
  dir.write("release", "line one\nline two \n\n");
  dir.write("binary", std::string("gopher\0\0", 8));
  EXPECT_EQ(read("release"), "line one\nline two");
  EXPECT_EQ(read("binary"), "gopher");
}

TEST_F(HostFileTest, IsAbsentWhenThereIsNothing) {
  dir.write("empty", "");
  dir.write("blank", " \n");
  EXPECT_EQ(read("missing"), std::nullopt);
  EXPECT_EQ(read("empty"), std::nullopt);
  EXPECT_EQ(read("blank"), std::nullopt);
}

TEST_F(HostFileTest, ReadsToTheEndWhatTellsNoSize) {
  const auto status = read_host_file("/proc/self/status");
  ASSERT_TRUE(status);
  EXPECT_THAT(*status, testing::HasSubstr("nonvoluntary_ctxt_switches"));
}

TEST_F(HostFileTest, IsOfALimitedSize) {
  dir.write("most", std::string(kMostFileBytes, 'g'));
  dir.write("more", std::string(kMostFileBytes + 1, 'g'));
  EXPECT_EQ(read("most"), std::string(kMostFileBytes, 'g'));
  EXPECT_EQ(read("more"), std::nullopt) << "a part of it could meet a condition that it does not";
}

TEST_F(HostFileTest, IsNothingButARegularFile) {
  ASSERT_EQ(::mkfifo((dir / "fifo").c_str(), 0600), 0);
  fs::create_directory(dir / "directory");
  fs::create_symlink("/dev/zero", dir / "device");
  EXPECT_EQ(read("fifo"), std::nullopt);
  EXPECT_EQ(read("directory"), std::nullopt);
  EXPECT_EQ(read("device"), std::nullopt);
}

TEST_F(HostFileTest, FollowsLinks) {
  dir.write("target", "gopher");
  fs::create_symlink("target", dir / "link");
  EXPECT_EQ(read("link"), "gopher");
}

class FilePlacesTest : public testing::Test {
 protected:
  /// Directory and entry of each place, without the prefix, which stands for the root.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> places(
      const std::string& file) const {
    return shown(file_places(file, dir.path()));
  }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> way(
      const std::string& path) const {
    return shown(way_to(path, dir.path()));
  }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> shown(
      const std::vector<FilePlace>& all) const {
    std::vector<std::pair<std::string, std::string>> found;
    for (const FilePlace& place : all) {
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

TEST_F(FilePlacesTest, OfAFileAreItAndItsDirectory) {
  dir.write("etc/lab/bench", "7");
  EXPECT_THAT(places("/etc/lab/bench"),
              ElementsAre(std::pair("/etc/lab", "bench"), std::pair("/etc/lab/bench", "")));
  EXPECT_EQ(places("/etc//./lab/../lab/bench"), places("/etc/lab/bench"));
}

TEST_F(FilePlacesTest, OfWhatIsMissingIsWhereItWouldBegin) {
  dir.write("etc/other", "");
  EXPECT_THAT(places("/etc/lab/bench"), ElementsAre(std::pair("/etc", "lab")));
  EXPECT_THAT(places("/bench"), ElementsAre(std::pair("", "bench")));
  EXPECT_THAT(places("/etc/other/bench"), ElementsAre(std::pair("/etc", "other")));
}

TEST_F(FilePlacesTest, OfLinksAreTheirDirectoriesToo) {
  dir.write("data/one/bench", "7");
  fs::create_directory(dir / "etc");
  fs::create_symlink("../data/now", dir / "etc/lab");
  fs::create_symlink("one", dir / "data/now");
  EXPECT_THAT(places("/etc/lab/bench"),
              ElementsAre(std::pair("/etc", "lab"), std::pair("/data", "now"),
                          std::pair("/data/one", "bench"), std::pair("/data/one/bench", "")));
}

TEST_F(FilePlacesTest, LinksMayGoRoundInCircles) {
  fs::create_symlink("b", dir / "a");
  fs::create_symlink("a", dir / "b");
  EXPECT_FALSE(places("/a").empty());
}

TEST_F(FilePlacesTest, OnlyRegularFilesAreWatchedThemselves) {
  ASSERT_EQ(::mkfifo((dir / "fifo").c_str(), 0600), 0);
  fs::create_directory(dir / "directory");
  EXPECT_THAT(places("/fifo"), ElementsAre(std::pair("", "fifo")));
  EXPECT_THAT(places("/directory"), ElementsAre(std::pair("", "directory")));
}

TEST_F(FilePlacesTest, ProcAndSysTellNothing) {
  EXPECT_THAT(file_places("/proc/devices", ""), IsEmpty());
  EXPECT_THAT(file_places("/sys/kernel/uevent_seqnum", ""), IsEmpty());
  EXPECT_THAT(places("/proc/devices"), IsEmpty());
  dir.write("proc/devices", "");
  EXPECT_THAT(places("/proc/devices"), IsEmpty());
  EXPECT_THAT(places("/processes"), ElementsAre(std::pair("", "processes")));
  fs::create_symlink("/proc/self/mounts", dir / "mtab");
  EXPECT_THAT(places("/mtab"), ElementsAre(std::pair("", "mtab")));
}

TEST_F(FilePlacesTest, OnTheWayIsEachDirectory) {
  dir.write("srv/lab/lib", "");
  EXPECT_THAT(way("/srv/lab/lib"), ElementsAre(std::pair("", "srv"), std::pair("/srv", "lab"),
                                               std::pair("/srv/lab", "lib")));
  EXPECT_EQ(way("/srv/lab/lib/below"), way("/srv/lab/lib")) << "it is a file";
  EXPECT_THAT(way("/srv/none/lib"), ElementsAre(std::pair("", "srv"), std::pair("/srv", "none")));
}

TEST_F(FilePlacesTest, OnTheWayIsWhereLinksLead) {
  dir.write("data/one/lib", "");
  fs::create_directory_symlink("one", dir / "data/now");
  fs::create_directory(dir / "etc");
  fs::create_symlink("../data/now/lib", dir / "etc/lib");
  EXPECT_THAT(way("/etc/lib"),
              ElementsAre(std::pair("", "etc"), std::pair("/etc", "lib"), std::pair("", "data"),
                          std::pair("/data", "now"), std::pair("/data", "one"),
                          std::pair("/data/one", "lib")));
}

TEST_F(FilePlacesTest, TheWayEndsWhereNothingIsReported) {
  fs::create_symlink("/proc/self/mounts", dir / "mtab");
  EXPECT_THAT(way("/mtab"), ElementsAre(std::pair("", "mtab")));
  fs::create_symlink("/sys/kernel/uevent_seqnum", dir / "seqnum");
  EXPECT_THAT(way("/seqnum"), ElementsAre(std::pair("", "seqnum")));
}

}  // namespace
}  // namespace patchbay::host
