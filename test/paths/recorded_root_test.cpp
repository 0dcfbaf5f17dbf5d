// Tests HostRoot with a file system in memory.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>

#include <gmock/gmock.h>

#include "paths/glob_walk.h"
#include "paths/host_root.h"

namespace patchbay::paths {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class RecordedRootTest : public testing::Test {
 protected:
  RecordedRootTest() {
    const auto files = std::make_shared<MemoryFiles>();
    files->add_file("/sys/devices/pci0/uevent", "DRIVER=igb\n");
    files->add_file("/sys/devices/pci0/net/eth0/address", "02:00:00:00:00:01\n");
    files->add_link("/sys/devices/pci0/net/eth0/device", "../../../pci0");
    files->add_link("/sys/class/net/eth0", "../../devices/pci0/net/eth0");
    files->add_node("/dev/ttyS0", S_IFCHR, ::gnu_dev_makedev(4, 64));
    files->add_link("/dev/console", "/dev/ttyS0");
    files->add_link("/dev/loop", "loop");
    files->add_file("/etc/empty", " \n");
    files->add_file("/etc/long", std::string(HostRoot::kMostFileBytes + 1, 'x'));
    root_ = HostRoot(files);
  }

  HostRoot root_;
};

TEST_F(RecordedRootTest, FollowsLinks) {
  EXPECT_EQ(root_.resolve("/sys/class/net/eth0/address"), "/sys/devices/pci0/net/eth0/address");
  EXPECT_EQ(root_.resolve("/sys/class/net/eth0/device/uevent"), "/sys/devices/pci0/uevent");
  EXPECT_EQ(root_.resolve("/dev/console"), "/dev/ttyS0");
  EXPECT_EQ(root_.resolve("/sys/./class/../class/net/eth0"), "/sys/devices/pci0/net/eth0");
  EXPECT_EQ(root_.resolve("/dev/loop"), std::nullopt);
  EXPECT_EQ(root_.resolve("/dev/missing"), std::nullopt);
}

TEST_F(RecordedRootTest, StatusHasTypeAndDeviceNumber) {
  EXPECT_TRUE(S_ISCHR(root_.status("/dev/console")->st_mode));
  EXPECT_EQ(root_.status("/dev/console")->st_rdev, ::gnu_dev_makedev(4, 64));
  EXPECT_TRUE(S_ISLNK(root_.link_status("/dev/console")->st_mode));
  EXPECT_TRUE(S_ISREG(root_.link_status("/sys/class/net/eth0/address")->st_mode));
  EXPECT_FALSE(root_.exists("/dev/missing"));
  EXPECT_EQ(errno, ENOENT);
  EXPECT_FALSE(root_.link_status("/dev/ttyS0/below"));
}

TEST_F(RecordedRootTest, ReadsFiles) {
  EXPECT_EQ(root_.read_file("/sys/class/net/eth0/address"), "02:00:00:00:00:01");
  EXPECT_EQ(root_.read_attribute("/sys/class/net/eth0/address"), "02:00:00:00:00:01\n");
  EXPECT_EQ(root_.read_attribute("/etc/long")->size(), HostRoot::kMostAttributeBytes);
  EXPECT_FALSE(root_.read_file("/etc/long"));
  EXPECT_EQ(root_.read_file("/etc/empty"), "");
  EXPECT_FALSE(root_.read_file("/dev/ttyS0"));
  EXPECT_FALSE(root_.read_file("/sys"));
  // A directory cannot be read as an attribute.
  EXPECT_FALSE(root_.read_attribute("/sys/class/net/eth0"));
}

TEST_F(RecordedRootTest, ReadsLinks) {
  EXPECT_EQ(root_.link_target("/sys/class/net/eth0/device"), "../../../pci0");
  EXPECT_EQ(root_.link_target("/dev/ttyS0"), std::nullopt);
  EXPECT_EQ(root_.link_target("/dev/missing"), std::nullopt);
}

TEST_F(RecordedRootTest, ListsDirectories) {
  EXPECT_THAT(root_.names_in("/sys/class/net/eth0"), UnorderedElementsAre("address", "device"));
  EXPECT_THAT(root_.names_in("/dev/ttyS0"), IsEmpty());
  EXPECT_THAT(walk_glob(root_, "/dev/tty*").paths, ElementsAre("/dev/ttyS0"));
  EXPECT_THAT(walk_glob(root_, "/sys/class/net/*/addr*").paths,
              ElementsAre("/sys/class/net/eth0/address"));
}

TEST_F(RecordedRootTest, OpensNoFiles) {
  EXPECT_FALSE(root_.open("/dev/ttyS0", O_RDONLY));
  EXPECT_EQ(errno, EOPNOTSUPP);
  EXPECT_FALSE(root_.try_open("/dev/ttyS0"));
  EXPECT_EQ(errno, EAGAIN);
}

TEST_F(RecordedRootTest, KernelFilesComeFromRecordingOrThisHost) {
  EXPECT_EQ(root_.kernel_files(), root_);
  EXPECT_EQ(HostRoot("/host").kernel_files(), HostRoot());
}

}  // namespace
}  // namespace patchbay::paths
