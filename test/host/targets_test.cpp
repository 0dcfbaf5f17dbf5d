#include "host/targets.h"

#include <string>

#include <gmock/gmock.h>

namespace patchbay::host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Targets, NamesTheGlobsThatMatchAPath) {
  Targets targets({"/d/*", "/e/*", "/d/a*"}, {});
  const Target target = targets.target("/d/ab");
  EXPECT_EQ(target.key, "/d/ab");
  EXPECT_TRUE(target.by_glob);
  EXPECT_FALSE(target.by_sysfs);
  EXPECT_THAT(target.found_by, ElementsAre(FoundBy{"/d/*"}, FoundBy{"/d/a*"}));
  EXPECT_THAT(targets.patterns_of("/d/ab"), ElementsAre("/d/*", "/d/a*"));
  EXPECT_FALSE(targets.target("/f").by_glob);
}

TEST(Targets, NamesPatternsOfBothKinds) {
  Targets targets({"/sys/devices/*"}, {});
  targets.set_sysfs(
      {{"/sys/devices/a", FoundByList({{.pattern = "/sys/x/*", .path = "/sys/x/a"}})}});
  const Target both = targets.target("/sys/devices/a");
  EXPECT_TRUE(both.by_sysfs && both.by_glob);
  EXPECT_THAT(both.found_by,
              ElementsAre(FoundBy{"/sys/devices/*"}, FoundBy{"/sys/x/*", "/sys/x/a"}));
  EXPECT_TRUE(targets.sysfs_finds("/sys/devices/a"));
  EXPECT_FALSE(targets.target("/sys/devices/b").by_sysfs);
}

TEST(Targets, PatternBeyondItsLimitFindsOnlyItsListedMatches) {
  Targets targets({"/d/*", "/d/a*"}, {});
  targets.limit_glob(0, {"/d/a", "/d/b"});
  EXPECT_THAT(targets.patterns_of("/d/b"), ElementsAre("/d/*"));
  EXPECT_THAT(targets.patterns_of("/d/c"), IsEmpty());
  EXPECT_THAT(targets.patterns_of("/d/ab"), ElementsAre("/d/a*"));
  EXPECT_FALSE(targets.unlimited_glob_matches("/d/b"));
  EXPECT_TRUE(targets.unlimited_glob_matches("/d/ab"));
  targets.unlimit_glob(0);
  EXPECT_THAT(targets.patterns_of("/d/c"), ElementsAre("/d/*"));
}

}  // namespace
}  // namespace patchbay::host
