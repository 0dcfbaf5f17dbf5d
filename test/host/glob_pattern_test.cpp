#include "host/glob_pattern.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "fake/temp_dir.h"

namespace patchbay::host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class GlobPatternTest : public testing::Test {
 protected:
  [[nodiscard]] GlobPattern pattern(const std::string& text) const {
    return {text, HostRoot(dir.path())};
  }

  /// "level path" of each, without the root.
  [[nodiscard]] std::vector<std::string> watched(const std::string& text) const {
    std::vector<std::string> all;
    for (const PatternDirectory& d : pattern(text).directories()) {
      all.push_back(std::to_string(d.level) + " " + d.path.substr(dir.path().size()));
    }
    return all;
  }
  fake::TempDir dir;
};

TEST_F(GlobPatternTest, FindsWhatExistsWithoutTheRootsPrefix) {
  dir.write("dev/tty0", "");
  dir.write("dev/tty1", "");
  dir.write("dev/.ttyhidden", "");
  EXPECT_THAT(pattern("/dev/tty*").list(), ElementsAre("/dev/tty0", "/dev/tty1"));
  EXPECT_THAT(pattern("/dev/*").list(), ElementsAre("/dev/tty0", "/dev/tty1"));
  EXPECT_THAT(pattern("/dev/.*hidden").list(), ElementsAre("/dev/.ttyhidden"));
  EXPECT_THAT(pattern("/dev/none").list(), IsEmpty());
}

TEST_F(GlobPatternTest, MatchesTheSamePathsAsListing) {
  const GlobPattern tty = pattern("/dev/tty[0-9]*");
  EXPECT_TRUE(tty.matches("/dev/tty10"));
  EXPECT_FALSE(tty.matches("/dev/ttyUSB0"));
  EXPECT_FALSE(tty.matches("/dev/tty1/x"));
  EXPECT_FALSE(tty.matches("/dev"));
  EXPECT_FALSE(pattern("/dev/*").matches("/dev/.hidden"));
  EXPECT_TRUE(pattern("/dev/a\\*b").matches("/dev/a*b"));
  EXPECT_FALSE(pattern("/dev/a\\*b").matches("/dev/axb"));
  EXPECT_TRUE(pattern("//dev///x/").matches("/dev/x"));
}

TEST_F(GlobPatternTest, WatchesTheDeepestDirectoryThatExists) {
  std::filesystem::create_directories(dir / "etc");
  EXPECT_THAT(watched("/etc/gophers/burrow/*"), ElementsAre("1 /etc"));
  std::filesystem::create_directories(dir / "etc/gophers");
  EXPECT_THAT(watched("/etc/gophers/burrow/*"), ElementsAre("2 /etc/gophers"));
  std::filesystem::create_directories(dir / "etc/gophers/burrow");
  EXPECT_THAT(watched("/etc/gophers/burrow/*"), ElementsAre("3 /etc/gophers/burrow"));
}

TEST_F(GlobPatternTest, WatchesEveryDirectoryThatAWildcardFinds) {
  dir.write("dev/bus/usb/001/002", "");
  dir.write("dev/bus/usb/002/001", "");
  dir.write("dev/bus/usb/file", "");
  EXPECT_THAT(watched("/dev/bus/usb/*/*"),
              UnorderedElementsAre("3 /dev/bus/usb", "4 /dev/bus/usb/001", "4 /dev/bus/usb/002"));
}

TEST_F(GlobPatternTest, WatchesBelowAWildcardWhatIsMissingThere) {
  dir.write("srv/a/sock/x", "");
  std::filesystem::create_directories(dir / "srv/b");
  EXPECT_THAT(watched("/srv/*/sock/*"),
              UnorderedElementsAre("1 /srv", "2 /srv/b", "3 /srv/a/sock"));
}

TEST_F(GlobPatternTest, WatchesWhereALinkMayBeTurned) {
  dir.write("data/one/x", "");
  std::filesystem::create_directory_symlink("one", dir / "data/now");
  EXPECT_THAT(watched("/data/now/*"), UnorderedElementsAre("1 /data", "2 /data/now"));
}

TEST_F(GlobPatternTest, KnowsTheDirectoryThatAllIsBelow) {
  EXPECT_EQ(pattern("/dev/bus/usb/*/*").base(), "/dev/bus/usb");
  EXPECT_EQ(pattern("/dev/kvm").base(), "/dev");
  EXPECT_EQ(pattern("/*/x").base(), "");
}

TEST_F(GlobPatternTest, KnowsWhereNothingIsReported) {
  EXPECT_FALSE(pattern("/sys/class/*").watchable());
  EXPECT_FALSE(pattern("/proc/driver/*").watchable());
  EXPECT_TRUE(pattern("/sysroot/*").watchable());
}

TEST_F(GlobPatternTest, TheRootIsNoPattern) {
  dir.write("a[b]/dev/x", "");
  dir.write("ab/dev/y", "");
  EXPECT_THAT(GlobPattern("/dev/*", HostRoot(dir / "a[b]")).list(), ElementsAre("/dev/x"));
}

}  // namespace
}  // namespace patchbay::host
