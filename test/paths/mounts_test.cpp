#include "paths/mounts.h"

#include <gtest/gtest.h>

namespace patchbay::paths {
namespace {

TEST(Mounts, FindsTheMountOfAnUnreliableFileSystem) {
  const Mounts mounts(
      "21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
      "22 21 0:5 / /mnt/nfs rw shared:2 - nfs4 server:/export rw\n"
      "23 22 0:6 / /mnt/nfs/local rw - tmpfs none rw\n"
      "24 21 0:7 / /mnt/with\\040blank rw - fuse.sshfs far:/ rw\n"
      "25 21 0:8 / /over rw - fuse one rw\n"
      "26 25 0:9 / /over rw - xfs two rw\n");
  EXPECT_EQ(mounts.unreliable_mount_of("/etc/passwd"), "");
  EXPECT_EQ(mounts.unreliable_mount_of("/mnt/nfs"), "/mnt/nfs");
  EXPECT_EQ(mounts.unreliable_mount_of("/mnt/nfs/a/b"), "/mnt/nfs");
  EXPECT_EQ(mounts.unreliable_mount_of("/mnt/nfs2/a"), "") << "no part of a name";
  EXPECT_EQ(mounts.unreliable_mount_of("/mnt/nfs/local/a"), "");
  EXPECT_EQ(mounts.unreliable_mount_of("/mnt/with blank/a"), "/mnt/with blank");
  EXPECT_EQ(mounts.unreliable_mount_of("/over/a"), "") << "the upper one counts";
}

TEST(Mounts, ReportsWhichMountsAreWritable) {
  const Mounts mounts(
      "21 1 8:1 / / ro,relatime - overlay overlay rw\n"
      "22 21 0:5 /a /a rw,nosuid shared:2 - ext4 /dev/sda1 ro\n");
  ASSERT_EQ(mounts.all().size(), 2U);
  EXPECT_FALSE(mounts.all()[0].writable);
  EXPECT_TRUE(mounts.all()[1].writable);
  EXPECT_EQ(mounts.all()[1].directory, "/a");
}

TEST(Mounts, ReadsTheMountsOfThisHost) {
  EXPECT_EQ(Mounts::read().unreliable_mount_of("/proc/self"), "");
  EXPECT_EQ(Mounts("").unreliable_mount_of("/a"), "");
}

}  // namespace
}  // namespace patchbay::paths
