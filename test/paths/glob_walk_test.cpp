#include "paths/glob_walk.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "fake/temp_dir.h"

namespace patchbay::paths {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
namespace fs = std::filesystem;

class GlobWalkTest : public testing::Test {
 protected:
  [[nodiscard]] GlobFound walk(const std::string& pattern, const GlobLimits& limits = {}) const {
    GlobFound found = walk_glob({}, dir / pattern, limits);
    for (std::string& path : found.paths) path.erase(0, dir.path().size() + 1);
    return found;
  }
  [[nodiscard]] std::vector<std::string> paths(const std::string& pattern) const {
    const GlobFound found = walk(pattern);
    EXPECT_EQ(found.truncation, "");
    return found.paths;
  }
  void link(const std::string& target, const std::string& name) const {
    fs::create_directory_symlink(target, dir / name);
  }

  fake::TempDir dir;
};

TEST_F(GlobWalkTest, FindsMatchingPaths) {
  dir.write("a1/x", "");
  dir.write("a1/.x", "");
  dir.write("a2/x", "");
  dir.write("a3", "");
  dir.write("b/x[1]", "");
  dir.write("b/x1", "");
  EXPECT_THAT(paths("a?/x"), ElementsAre("a1/x", "a2/x"));
  EXPECT_THAT(paths("a*/*"), ElementsAre("a1/x", "a2/x"));
  EXPECT_THAT(paths("a1/.*"), ElementsAre("a1/.x"));
  EXPECT_THAT(paths("[!a]/x\\[1]"), ElementsAre("b/x[1]"));
  EXPECT_THAT(paths("b/x[1]"), ElementsAre("b/x1"));
  EXPECT_THAT(paths("b/x\\[1]"), ElementsAre("b/x[1]"));
  EXPECT_THAT(paths("a3/*"), IsEmpty());
  EXPECT_THAT(paths("none/*"), IsEmpty());
  EXPECT_THAT(paths("none"), IsEmpty());
}

TEST_F(GlobWalkTest, TrailingSlashFindsDirectories) {
  dir.write("d/a/x", "");
  dir.write("d/b", "");
  link("a", "d/c");
  link("none", "d/e");
  EXPECT_THAT(paths("d/*/"), ElementsAre("d/a/", "d/c/"));
  EXPECT_THAT(paths("d/*"), ElementsAre("d/a", "d/b", "d/c", "d/e"));
  EXPECT_THAT(paths("d/b/"), IsEmpty());
}

TEST_F(GlobWalkTest, KeepsFirstPathsByNameWhenTruncated) {
  for (const char* name : {"c/1", "a/2", "b/1", "a/1"}) dir.write(name, "");
  EXPECT_THAT(walk("*/*", {.paths = 100}).paths, ElementsAre("a/1", "a/2", "b/1", "c/1"));
  // The directories above the results count for the limit, too: two above a and b, and a and b.
  const GlobFound part = walk("*/*", {.paths = 2 + 5});
  EXPECT_THAT(part.paths, ElementsAre("a/1", "a/2", "b/1"));
  EXPECT_THAT(part.truncation, HasSubstr("it matches more than 7 paths"));
  EXPECT_THAT(walk("*/*", {.paths = 2 + 7}).truncation, IsEmpty());
}

TEST_F(GlobWalkTest, WalkThroughCircularLinksStopsAtPathLimit) {
  dir.write("d/x", "");
  for (int i = 0; i < 22; ++i) link(".", "d/l" + std::to_string(i));
  const GlobFound found = walk("d/*/*/*/*/x");
  EXPECT_THAT(found.truncation, HasSubstr("more than 100000 paths"));
  EXPECT_LE(found.paths.size(), 100'000U);
  EXPECT_EQ(found.paths, walk("d/*/*/*/*/x").paths);
}

TEST_F(GlobWalkTest, FollowsAtMostEightLinks) {
  dir.write("d/x", "");
  link(".", "d/l");
  const auto pattern = [](int links) {
    std::string text = "d";
    for (int i = 0; i < links; ++i) text += "/l*";
    return text + "/x";
  };
  EXPECT_THAT(paths(pattern(8)), SizeIs(1));
  const GlobFound found = walk(pattern(9));
  EXPECT_THAT(found.paths, IsEmpty());
  EXPECT_THAT(found.truncation, HasSubstr("d/l/l/l/l/l/l/l/l/l is behind more than 8 links"));
  // The limit is for links. Paths below many directories are found.
  dir.write("d/a/b/c/e/f/g/h/i/j", "");
  EXPECT_THAT(walk("d/*/*/*/*/*/*/*/*/*").paths, testing::Contains("d/a/b/c/e/f/g/h/i/j"));
  // The last link is the result, so it is not followed.
  EXPECT_THAT(paths("d/l/l/l/l/l/l/l/l/l*"), SizeIs(1));
}

}  // namespace
}  // namespace patchbay::paths
