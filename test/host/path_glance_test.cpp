#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

#include <gtest/gtest.h>

#include "fake/hanging_mount.h"
#include "fake/no_descriptors.h"
#include "fake/temp_dir.h"
#include "host/nonblocking_stat.h"
#include "loop/may_block.h"

namespace patchbay::host {
namespace {

namespace fs = std::filesystem;

/// As on gRPC's thread.
std::optional<PathStatus> at_once(const NonblockingStat& glance, const std::string& path) {
  const loop::MayBlock never(false);
  return glance.try_stat(path);
}

Result<DeviceNumber> node_at(const std::string& path, const HostRoot& root = {}) {
  NonblockingStat glance(root);
  return node_number(path, glance.stat_blocking(path));
}

/// A kernel before 5.12, or a sandbox, tells nothing at once.
bool tells_at_once() { return static_cast<bool>(HostRoot().try_open("/")); }

TEST(PathGlanceTest, NodeNumbersAreOfTheDeviceBehindLinks) {
  const fake::TempDir dir;
  fs::create_symlink("/dev/null", dir / "link");
  EXPECT_EQ(node_at(dir / "link"), (DeviceNumber{false, 1, 3}));
  EXPECT_EQ(node_at("/null", HostRoot("/dev")), (DeviceNumber{false, 1, 3}));
}

TEST(PathGlanceTest, OnlyNodesHaveANumber) {
  const fake::TempDir dir;
  const std::string file = dir.write("file", "");
  EXPECT_EQ(node_at(file).error().message, file + " is no device node");
  EXPECT_EQ(node_at(dir / "none").error().message, (dir / "none") + " does not exist");
  EXPECT_EQ(node_at(file + "/x").error().message, file + "/x does not exist");
}

TEST(PathGlanceTest, ANodeIsFoundWithoutADescriptor) {
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
            "/dev/link is no device node");
}

TEST(PathGlanceTest, AnEntryMayBeALink) {
  if (!tells_at_once()) GTEST_SKIP() << "the kernel knows no RESOLVE_CACHED";
  const fake::TempDir dir;
  fs::create_symlink("none", dir / "link");
  const std::string file = dir.write("file", "");
  for (const HostRoot& root : {HostRoot(), HostRoot("/dev/..")}) {
    NonblockingStat glance(root);
    ASSERT_TRUE(glance.stat_blocking(file));
    const loop::MayBlock never(false);
    const auto link = glance.try_lstat(dir / "link");
    ASSERT_TRUE(link && *link);
    EXPECT_TRUE(S_ISLNK((*link)->st_mode));
  }
}

TEST(PathGlanceTest, WhatWasLookedAtIsToldAtOnceFromThenOn) {
  if (!tells_at_once()) GTEST_SKIP() << "the kernel knows no RESOLVE_CACHED";
  for (const HostRoot& root : {HostRoot(), HostRoot("/dev/..")}) {
    NonblockingStat glance(root);
    EXPECT_FALSE(at_once(glance, "/dev/null")) << "whether it may hang is not known yet";
    ASSERT_TRUE(glance.stat_blocking("/dev/null"));
    const auto known = at_once(glance, "/dev/null");
    ASSERT_TRUE(known);
    EXPECT_EQ(node_number("/dev/null", *known), (DeviceNumber{false, 1, 3}));
    // Of the same file system.
    EXPECT_TRUE(at_once(glance, "/dev/zero"));
  }
}

/// Its files have no handles, by which the kernel tells the mounts of others.
TEST(PathGlanceTest, TerminalsAreToldAtOnceToo) {
  if (!tells_at_once()) GTEST_SKIP() << "the kernel knows no RESOLVE_CACHED";
  const std::string node = "/dev/pts/ptmx";
  if (!fs::exists(node)) GTEST_SKIP() << "there is no " << node;
  NonblockingStat glance{HostRoot()};
  ASSERT_TRUE(glance.stat_blocking("/dev/null"));
  EXPECT_FALSE(at_once(glance, node)) << "it is on another file system";
  ASSERT_TRUE(glance.stat_blocking(node));
  const auto known = at_once(glance, node);
  ASSERT_TRUE(known);
  EXPECT_EQ(node_number(node, *known), (DeviceNumber{false, 5, 2}));
}

TEST(PathGlanceTest, AnOldAnswerIsNeverGiven) {
  const fake::TempDir dir;
  NonblockingStat glance{HostRoot()};
  const std::string file = dir.write("file", "");
  ASSERT_TRUE(glance.stat_blocking(file));
  fs::remove(file);
  const auto missing = at_once(glance, file);
  EXPECT_TRUE(!missing || (!*missing && missing->error() == ENOENT));
  EXPECT_EQ(glance.stat_blocking(file).error(), ENOENT);
  fs::create_directory(file);
  const auto made = at_once(glance, file);
  EXPECT_TRUE(!made || S_ISDIR((*made)->st_mode));
}

TEST(PathGlanceTest, AFileSystemThatMayHangIsNotAskedAtOnce) {
  if (const auto reason = fake::HangingMount::unavailable()) GTEST_SKIP() << *reason;
  const fake::HangingMount mount;
  const NonblockingStat glance{HostRoot()};
  EXPECT_FALSE(at_once(glance, mount / ""));
  EXPECT_FALSE(at_once(glance, mount / "file"));
  EXPECT_FALSE(at_once(glance, mount / "deep/file"));
}

}  // namespace
}  // namespace patchbay::host
