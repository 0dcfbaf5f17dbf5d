#include "health/path_check.h"

#include <sys/stat.h>

#include <filesystem>

#include "health/runner_fixture.h"

namespace patchbay::health {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

class PathCheckTest : public RunnerTest {
 protected:
  PathFaults run(std::vector<inventory::NeededPath> paths, const host::HostRoot& root = {}) {
    const auto check = PathCheck::create(threads, root);
    std::vector<PathQuery> queries;
    for (inventory::NeededPath& path : paths) queries.push_back({.needed = std::move(path)});
    std::optional<PathFaults> faults;
    const auto running = check->run(std::move(queries), fake::kPatience,
                                    [&](PathsSeen seen) { faults = std::move(seen.faults); });
    EXPECT_FALSE(faults) << "never at once";
    EXPECT_TRUE(until([&] { return faults.has_value(); }));
    return faults.value_or(PathFaults{});
  }
};

TEST_F(PathCheckTest, WhatIsThereIsRight) {
  std::filesystem::create_symlink("/dev/null", dir / "link");
  EXPECT_THAT(run({{"/dev/null", true}, {dir / "link", true}, {dir.path(), false}}), IsEmpty());
  EXPECT_THAT(run({}), IsEmpty());
}

TEST_F(PathCheckTest, WhatIsNotThereIsAtFault) {
  std::filesystem::create_symlink(dir / "gone", dir / "dangling");
  const std::string file = dir.write("file", "");
  EXPECT_THAT(
      run({{dir / "dangling", true},
           {"/dev/null", true},
           {file + "/below", false},
           {dir / "none", false}}),
      ElementsAre(Pair(dir / "dangling", "does not exist"), Pair(file + "/below", "does not exist"),
                  Pair(dir / "none", "does not exist")));
}

TEST_F(PathCheckTest, ADeviceNodeMustBeOne) {
  const std::string file = dir.write("file", "");
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(
      run({{file, true}, {dir / "pipe", true}, {dir.path(), true}}),
      testing::UnorderedElementsAre(Pair(file, "is a file, not a device node"),
                                    Pair(dir / "pipe", "is something else, not a device node"),
                                    Pair(dir.path(), "is a directory, not a device node")));
}

TEST_F(PathCheckTest, TheRootStandsBeforeThePath) {
  dir.write("opt/vendor/lib", "");
  EXPECT_THAT(run({{"/opt/vendor/lib", false}, {"/dev/null", true}}, host::HostRoot(dir.path())),
              ElementsAre(Pair("/dev/null", "does not exist")));
}

}  // namespace
}  // namespace patchbay::health
