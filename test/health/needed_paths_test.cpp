#include "health/needed_paths.h"

#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "fake/runner_fixture.h"
#include "fake/scripted_paths.h"
#include "paths/path_follower.h"

namespace patchbay::health {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

struct IdleUser final : PathUser {
  void paths_changed() override {}
};

using Faults = std::map<std::string, std::string>;

class NeededPathsTest : public fake::RunnerTest {
 protected:
  /// Checks the paths. Returns the faults by path, without the paths that have no fault.
  Faults run(const std::vector<inventory::NeededPath>& paths, const paths::HostRoot& root = {}) {
    const auto look = paths::PathChecker::create(threads, root);
    paths::PathFollower follower(loop, *look, {.root = root});
    NeededPaths needed(follower);
    IdleUser user;
    for (const auto& path : paths) needed.need(path, user);
    EXPECT_TRUE(until([&] { return follower.idle(); }));
    Faults faults;
    for (const auto& path : paths) {
      if (!needed.fault(path).empty()) faults[path.path] = needed.fault(path);
    }
    return faults;
  }
};

TEST_F(NeededPathsTest, ExistingPathHasNoFault) {
  std::filesystem::create_symlink("/dev/null", dir / "link");
  EXPECT_THAT(run({{"/dev/null", true}, {dir / "link", true}, {dir.path(), false}}), IsEmpty());
  EXPECT_THAT(run({}), IsEmpty());
}

TEST_F(NeededPathsTest, MissingPathIsAFault) {
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

TEST_F(NeededPathsTest, OtherTypeThanDeviceNodeIsAFault) {
  const std::string file = dir.write("file", "");
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(
      run({{file, true}, {dir / "pipe", true}, {dir.path(), true}}),
      testing::UnorderedElementsAre(Pair(file, "is a file, not a device node"),
                                    Pair(dir / "pipe", "is something else, not a device node"),
                                    Pair(dir.path(), "is a directory, not a device node")));
}

// /dev/null is char 1:3, /dev/zero is char 1:5.
constexpr DeviceNumber kNull{.block = false, .major = 1, .minor = 3};
constexpr DeviceNumber kZero{.block = false, .major = 1, .minor = 5};

TEST_F(NeededPathsTest, SharedLinkIsAFaultOfTheOtherDevice) {
  std::filesystem::create_symlink("/dev/null", dir / "by-id");
  EXPECT_THAT(run({{dir / "by-id", true, kNull, true}}), IsEmpty());
  EXPECT_THAT(run({{dir / "by-id", true, kNull, true}, {dir / "by-id", true, kZero, true}}),
              ElementsAre(Pair(dir / "by-id",
                               "leads to another device, char 1:3 instead of char 1:5 (two devices "
                               "have this link): use $(link.by-path)")));
}

TEST_F(NeededPathsTest, ReplacedNodeIsAFault) {
  EXPECT_THAT(
      run({{"/dev/zero", true, kZero}, {"/dev/null", true, kZero}}),
      ElementsAre(Pair("/dev/null", "leads to another device, char 1:3 instead of char 1:5")));
}

TEST_F(NeededPathsTest, UnresponsivePathIsAFault) {
  fake::ScriptedPaths checker;
  checker.states["/mnt/a"] = {.kind = paths::PathState::Kind::unresponsive};
  paths::PathFollower follower(loop, checker, {});
  NeededPaths needed(follower);
  IdleUser user;
  needed.need({"/mnt/a"}, user);
  EXPECT_TRUE(until([&] { return checker.end(); }));
  EXPECT_EQ(needed.fault({"/mnt/a"}), "is unresponsive: its file system hangs");
  needed.release({"/mnt/a"}, user);
}

TEST_F(NeededPathsTest, PathStateFromBeforeDeviceAppearedIsNoFault) {
  std::filesystem::create_symlink("/dev/null", dir / "by-id");
  const auto look = paths::PathChecker::create(threads, {});
  paths::PathFollower follower(loop, *look, {});
  NeededPaths needed(follower);
  IdleUser user;
  const inventory::NeededPath before{dir / "by-id", true, kNull, true};
  const inventory::NeededPath now{dir / "by-id", true, kZero, true};
  needed.need(before, user);
  EXPECT_TRUE(until([&] { return follower.idle(); }));
  std::filesystem::remove(dir / "by-id");
  std::filesystem::create_symlink("/dev/zero", dir / "by-id");
  needed.need(now, user);
  EXPECT_EQ(needed.fault(now), "") << "not until it is checked again";
  needed.release(before, user);
  EXPECT_TRUE(until([&] { return follower.idle(); }));
  EXPECT_EQ(needed.fault(now), "");
}

/// Another user of the follower, like a probe of a file.
struct OtherFollower final : paths::PathListener {};

TEST_F(NeededPathsTest, PathThatOthersFollowIsCheckedAgain) {
  std::filesystem::create_symlink("/dev/null", dir / "by-id");
  const auto look = paths::PathChecker::create(threads, {});
  paths::PathFollower follower(loop, *look, {});
  NeededPaths needed(follower);
  IdleUser user;
  OtherFollower other;
  follower.follow(dir / "by-id", other);
  EXPECT_TRUE(until([&] { return follower.idle(); }));
  const inventory::NeededPath path{dir / "by-id", true, kZero, true};
  needed.need(path, user);
  EXPECT_EQ(needed.fault(path), "") << "not until it is checked again";
  EXPECT_FALSE(needed.leads_to_other_device(path));
  EXPECT_TRUE(until([&] { return follower.idle(); }));
  EXPECT_THAT(needed.fault(path), testing::StartsWith("leads to another device"));
  EXPECT_TRUE(needed.leads_to_other_device(path));
  std::filesystem::remove(dir / "by-id");
  std::filesystem::create_symlink("/dev/zero", dir / "by-id");
  needed.refresh(path);
  EXPECT_TRUE(until([&] { return follower.idle(); }));
  EXPECT_EQ(needed.fault(path), "");
  EXPECT_FALSE(needed.leads_to_other_device(path));
}

TEST_F(NeededPathsTest, ChecksPathsBelowHostRoot) {
  dir.write("opt/vendor/lib", "");
  EXPECT_THAT(run({{"/opt/vendor/lib", false}, {"/dev/null", true}}, paths::HostRoot(dir.path())),
              ElementsAre(Pair("/dev/null", "does not exist")));
}

TEST_F(NeededPathsTest, PathMayBeNeededAsFileAndAsNode) {
  const std::string file = dir.write("file", "");
  const auto look = paths::PathChecker::create(threads, {});
  paths::PathFollower follower(loop, *look, {});
  NeededPaths needed(follower);
  IdleUser user;
  needed.need({file, false}, user);
  EXPECT_TRUE(until([&] { return follower.idle(); }));
  needed.need({file, true}, user);
  EXPECT_EQ(needed.fault({file, false}), "");
  EXPECT_EQ(needed.fault({file, true}), "is a file, not a device node") << "that is known by now";
  needed.release({file, false}, user);
  EXPECT_EQ(follower.state(file).kind, paths::PathState::Kind::exists);
  needed.release({file, true}, user);
  EXPECT_EQ(follower.state(file).kind, paths::PathState::Kind::unknown);
}

}  // namespace
}  // namespace patchbay::health
