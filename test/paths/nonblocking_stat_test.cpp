#include "paths/nonblocking_stat.h"

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

#include <gtest/gtest.h>

#include "fake/hanging_mount.h"
#include "fake/no_descriptors.h"
#include "fake/temp_dir.h"
#include "loop/may_block.h"

namespace patchbay::paths {
namespace {

namespace fs = std::filesystem;

/// Stats as gRPC's thread does, which must not block.
std::optional<PathStatus> at_once(const NonblockingStat& nonblocking, const std::string& path) {
  const loop::MayBlock never(false);
  return nonblocking.try_stat(path);
}

Result<DeviceNumber> node_at(const std::string& path, const HostRoot& root = {}) {
  NonblockingStat nonblocking(root);
  return node_number(path, nonblocking.stat_blocking(path));
}

/// Whether the kernel can answer from its cache. A kernel before 5.12 or a sandbox cannot.
bool answers_from_cache() { return static_cast<bool>(HostRoot().try_open("/")); }

TEST(NonblockingStatTest, NodeNumberFollowsLinks) {
  const fake::TempDir dir;
  fs::create_symlink("/dev/null", dir / "link");
  EXPECT_EQ(node_at(dir / "link"), (DeviceNumber{false, 1, 3}));
  EXPECT_EQ(node_at("/null", HostRoot("/dev")), (DeviceNumber{false, 1, 3}));
}

TEST(NonblockingStatTest, OnlyDeviceNodesHaveANumber) {
  const fake::TempDir dir;
  const std::string file = dir.write("file", "");
  EXPECT_EQ(node_at(file).error().message, file + " is not a device node");
  EXPECT_EQ(node_at(dir / "none").error().message, (dir / "none") + " does not exist");
  EXPECT_EQ(node_at(file + "/x").error().message, file + "/x does not exist");
}

TEST(NonblockingStatTest, FindsANodeWithoutFreeDescriptors) {
  const fake::TempDir dir;
  fs::create_symlink("/dev/null", dir / "link");
  fs::create_directory(dir / "dev");
  fs::create_symlink("/real", dir / "dev/link");
  dir.write("real", "");
  const fake::NoDescriptors none;
  EXPECT_EQ(node_at(dir / "link"), (DeviceNumber{false, 1, 3}));
  EXPECT_EQ(node_at("/null", HostRoot("/dev")), (DeviceNumber{false, 1, 3}));
  EXPECT_EQ(node_at(dir / "none").error().message, (dir / "none") + " does not exist");
  EXPECT_EQ(node_at("/dev/link", HostRoot(dir.path())).error().message,
            "/dev/link is not a device node");
}

TEST(NonblockingStatTest, TryLstatReportsLinks) {
  if (!answers_from_cache()) GTEST_SKIP() << "the kernel knows no RESOLVE_CACHED";
  const fake::TempDir dir;
  fs::create_symlink("none", dir / "link");
  const std::string file = dir.write("file", "");
  for (const HostRoot& root : {HostRoot(), HostRoot("/dev/..")}) {
    NonblockingStat nonblocking(root);
    ASSERT_TRUE(nonblocking.stat_blocking(file));
    const loop::MayBlock never(false);
    const auto link = nonblocking.try_lstat(dir / "link");
    ASSERT_TRUE(link && *link);
    EXPECT_TRUE(S_ISLNK((*link)->st_mode));
  }
}

TEST(NonblockingStatTest, AnswersFromTheCacheAfterTheFirstStat) {
  if (!answers_from_cache()) GTEST_SKIP() << "the kernel knows no RESOLVE_CACHED";
  for (const HostRoot& root : {HostRoot(), HostRoot("/dev/..")}) {
    NonblockingStat nonblocking(root);
    EXPECT_FALSE(at_once(nonblocking, "/dev/null")) << "whether it may hang is not known yet";
    ASSERT_TRUE(nonblocking.stat_blocking("/dev/null"));
    const auto known = at_once(nonblocking, "/dev/null");
    ASSERT_TRUE(known);
    EXPECT_EQ(node_number("/dev/null", *known), (DeviceNumber{false, 1, 3}));
    // The other node is on the same file system, which is known.
    EXPECT_TRUE(at_once(nonblocking, "/dev/zero"));
  }
}

/// The file system of /dev/pts has no file handles, so its mount is read from /proc.
TEST(NonblockingStatTest, AnswersForTerminalsFromTheCache) {
  if (!answers_from_cache()) GTEST_SKIP() << "the kernel knows no RESOLVE_CACHED";
  const std::string node = "/dev/pts/ptmx";
  if (!fs::exists(node)) GTEST_SKIP() << "there is no " << node;
  NonblockingStat nonblocking{HostRoot()};
  ASSERT_TRUE(nonblocking.stat_blocking("/dev/null"));
  EXPECT_FALSE(at_once(nonblocking, node)) << "it is on another file system";
  ASSERT_TRUE(nonblocking.stat_blocking(node));
  const auto known = at_once(nonblocking, node);
  ASSERT_TRUE(known);
  EXPECT_EQ(node_number(node, *known), (DeviceNumber{false, 5, 2}));
}

TEST(NonblockingStatTest, NeverGivesAStaleAnswer) {
  const fake::TempDir dir;
  NonblockingStat nonblocking{HostRoot()};
  const std::string file = dir.write("file", "");
  ASSERT_TRUE(nonblocking.stat_blocking(file));
  fs::remove(file);
  const auto missing = at_once(nonblocking, file);
  EXPECT_TRUE(!missing || (!*missing && missing->error() == ENOENT));
  EXPECT_EQ(nonblocking.stat_blocking(file).error(), ENOENT);
  fs::create_directory(file);
  const auto made = at_once(nonblocking, file);
  EXPECT_TRUE(!made || S_ISDIR((*made)->st_mode));
}

TEST(NonblockingStatTest, DoesNotAskAnUnreliableFileSystem) {
  if (const auto reason = fake::HangingMount::unavailable()) GTEST_SKIP() << *reason;
  const fake::HangingMount mount;
  const NonblockingStat nonblocking{HostRoot()};
  EXPECT_FALSE(at_once(nonblocking, mount / ""));
  EXPECT_FALSE(at_once(nonblocking, mount / "file"));
  EXPECT_FALSE(at_once(nonblocking, mount / "deep/file"));
}

}  // namespace
}  // namespace patchbay::paths
