#include "paths/glob_pattern.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "fake/temp_dir.h"

namespace patchbay::paths {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class GlobPatternTest : public testing::Test {
 protected:
  [[nodiscard]] GlobPattern pattern(const std::string& text) const {
    return {text, HostRoot(dir.path())};
  }

  /// The watch points of the pattern, each as "level path".
  [[nodiscard]] std::vector<std::string> followed(const std::string& text) const {
    std::vector<std::string> all;
    for (const PatternWatchPoint& place : pattern(text).watch_points()) {
      all.push_back(std::to_string(place.level) + " " + place.path);
    }
    return all;
  }
  fake::TempDir dir;
};

TEST_F(GlobPatternTest, FindsPathsWithoutTheRootPrefix) {
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

TEST_F(GlobPatternTest, FollowsAMissingDirectory) {
  EXPECT_THAT(followed("/etc/gophers/burrow/*"), ElementsAre("3 /etc/gophers/burrow"));
  EXPECT_THAT(followed("/*"), ElementsAre("0 /"));
}

TEST_F(GlobPatternTest, FollowsEachDirectoryThatAWildcardMatches) {
  dir.write("dev/bus/usb/001/002", "");
  dir.write("dev/bus/usb/002/001", "");
  dir.write("dev/bus/usb/file", "");
  EXPECT_THAT(followed("/dev/bus/usb/*/*"),
              ElementsAre("3 /dev/bus/usb", "4 /dev/bus/usb/001", "4 /dev/bus/usb/002"));
}

TEST_F(GlobPatternTest, FollowsMissingPathsBelowAWildcard) {
  dir.write("srv/a/sock/x", "");
  std::filesystem::create_directories(dir / "srv/b");
  EXPECT_THAT(followed("/srv/*/sock/*"), ElementsAre("1 /srv", "3 /srv/a/sock", "3 /srv/b/sock"));
  EXPECT_THAT(followed("/srv/*/so\\ck"), ElementsAre("1 /srv", "3 /srv/a/sock", "3 /srv/b/sock"));
}

TEST_F(GlobPatternTest, FollowsPathWithoutWildcards) {
  EXPECT_THAT(followed("/dev/kvm"), ElementsAre("2 /dev/kvm"));
}

TEST_F(GlobPatternTest, BaseIsTheDeepestCommonDirectory) {
  EXPECT_EQ(pattern("/dev/bus/usb/*/*").base(), "/dev/bus/usb");
  EXPECT_EQ(pattern("/dev/kvm").base(), "/dev");
  EXPECT_EQ(pattern("/*/x").base(), "");
}

TEST_F(GlobPatternTest, WildcardsInTheRootAreLiteral) {
  dir.write("a[b]/dev/x", "");
  dir.write("ab/dev/y", "");
  EXPECT_THAT(GlobPattern("/dev/*", HostRoot(dir / "a[b]")).list(), ElementsAre("/dev/x"));
}

}  // namespace
}  // namespace patchbay::paths
