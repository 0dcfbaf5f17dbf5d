#include "paths/memory_files.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <gmock/gmock.h>

namespace patchbay::paths {
namespace {

using testing::ElementsAre;

TEST(MemoryFiles, HasOnlyRootDirectoryAtFirst) {
  const MemoryFiles files;
  ASSERT_NE(files.find("/"), nullptr);
  EXPECT_TRUE(S_ISDIR(files.find("/")->mode));
  EXPECT_EQ(files.find("/sys"), nullptr);
}

TEST(MemoryFiles, CreatesParents) {
  MemoryFiles files;
  EXPECT_TRUE(files.add_file("/sys/class/net", "content"));
  EXPECT_TRUE(S_ISDIR(files.find("/sys/class")->mode));
  EXPECT_TRUE(files.add_file("/sys/bus", ""));
  EXPECT_THAT(files.find("/sys")->names, ElementsAre("class", "bus"));
  EXPECT_EQ(files.find("/sys/class/net")->content, "content");
}

TEST(MemoryFiles, KeepsTheFirstOfTwoEntries) {
  MemoryFiles files;
  EXPECT_TRUE(files.add_file("/a", "first"));
  EXPECT_FALSE(files.add_file("/a", "second"));
  EXPECT_FALSE(files.add_link("/a", "b"));
  EXPECT_FALSE(files.add_directory("/a"));
  EXPECT_FALSE(files.add_file("/a/b", "below a file"));
  EXPECT_EQ(files.find("/a")->content, "first");
  EXPECT_THAT(files.find("/")->names, ElementsAre("a"));
}

TEST(MemoryFiles, AcceptsADirectoryThatExists) {
  MemoryFiles files;
  EXPECT_TRUE(files.add_directory("/a/b"));
  EXPECT_TRUE(files.add_directory("/a"));
  EXPECT_TRUE(files.add_directory("/"));
  EXPECT_THAT(files.find("/a")->names, ElementsAre("b"));
}

TEST(MemoryFiles, RejectsRelativePathsAndTrailingSlashes) {
  MemoryFiles files;
  EXPECT_FALSE(files.add_file("a", ""));
  EXPECT_FALSE(files.add_file("/a/", ""));
  EXPECT_FALSE(files.add_file("", ""));
}

TEST(MemoryFiles, StoresTypesModesAndDeviceNumbers) {
  MemoryFiles files;
  files.add_node("/dev/sda", S_IFBLK, ::gnu_dev_makedev(8, 0));
  files.add_file("/bin/tool", "", 0755);
  files.add_link("/dev/disk", "sda");
  EXPECT_EQ(files.find("/dev/sda")->mode, static_cast<mode_t>(S_IFBLK | 0600));
  EXPECT_EQ(files.find("/dev/sda")->number, ::gnu_dev_makedev(8, 0));
  EXPECT_EQ(files.find("/bin/tool")->mode, static_cast<mode_t>(S_IFREG | 0755));
  EXPECT_EQ(files.find("/dev/disk")->content, "sda");
  EXPECT_NE(files.find("/dev/sda")->inode, files.find("/dev/disk")->inode);
}

}  // namespace
}  // namespace patchbay::paths
