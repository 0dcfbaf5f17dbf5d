#include "host/facts/sysfs_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fake/temp_dir.h"

namespace patchbay::host {
namespace {

class AttributeTest : public testing::Test {
 protected:
  [[nodiscard]] std::optional<std::string> read(const std::string& path) const {
    return read_attribute({}, dir.path(), path);
  }
  using Values = std::vector<std::string>;
  [[nodiscard]] Values read_all(const std::string& path) const {
    return read_attributes({}, dir.path(), path);
  }
  fake::TempDir dir;
};

TEST_F(AttributeTest, TrimsTheContent) {
  dir.write("vendor", "0x10de\n");
  dir.write("model", std::string("SAMSUNG  \0\0", 11));
  EXPECT_EQ(read("vendor"), "0x10de");
  EXPECT_EQ(read("model"), "SAMSUNG");
}

TEST_F(AttributeTest, EmptyAttributeIsAbsent) {
  dir.write("empty", "\n");
  std::filesystem::create_directory(dir / "power");
  EXPECT_EQ(read("missing"), std::nullopt);
  EXPECT_EQ(read("empty"), std::nullopt);
  EXPECT_EQ(read("power"), std::nullopt);
  EXPECT_EQ(read(""), std::nullopt);
}

TEST_F(AttributeTest, FollowsLinksInThePath) {
  dir.write("real/vendor", "10de");
  std::filesystem::create_directory_symlink("real", dir / "device");
  EXPECT_EQ(read("device/vendor"), "10de");
}

TEST_F(AttributeTest, LinkYieldsTheBaseNameOfItsTarget) {
  std::filesystem::create_symlink("../../../bus/pci/drivers/vfio-pci", dir / "driver");
  EXPECT_EQ(read("driver"), "vfio-pci");
}

TEST_F(AttributeTest, NeverLeavesTheDirectory) {
  dir.write("secret", "x");
  dir.write("below/a", "x");
  const std::string below = dir / "below";
  EXPECT_EQ(read_attribute({}, below, "../secret"), std::nullopt);
  EXPECT_EQ(read_attribute({}, below, "a/../../secret"), std::nullopt);
  EXPECT_EQ(read_attribute({}, below, "/etc/hostname"), std::nullopt);
  EXPECT_EQ(read_attribute({}, below, "*/../../secret"), std::nullopt);
}

TEST_F(AttributeTest, WildcardYieldsAllInNaturalOrder) {
  dir.write("hwmon/hwmon10/temp1_input", "43000\n");
  dir.write("hwmon/hwmon9/temp1_input", "42000\n");
  dir.write("hwmon/hwmon3/temp1_input", "41000\n");
  dir.write("hwmon/hwmon4/temp1_input", "\n");
  EXPECT_EQ(read_all("hwmon/*/temp1_input"), (Values{"41000", "42000", "43000"}));
  EXPECT_EQ(read_all("hwmon/hwmon9/temp1_input"), Values{"42000"});
  EXPECT_EQ(read_all("hwmon/*/temp2_input"), Values{});
  EXPECT_EQ(read_all("*/../../etc/hostname"), Values{});
}

TEST_F(AttributeTest, WildcardFindsLinks) {
  std::filesystem::create_directory(dir / "holders");
  std::filesystem::create_symlink("../../dm-2", dir / "holders/dm-2");
  std::filesystem::create_symlink("../../dm-10", dir / "holders/dm-10");
  EXPECT_EQ(read_all("holders/*"), (Values{"dm-2", "dm-10"}));
}

TEST_F(AttributeTest, WildcardsInTheDirectoryAreLiteral) {
  dir.write("a[b]/name/x", "1");
  dir.write("ab/name/x", "2");
  EXPECT_EQ(read_attributes({}, dir / "a[b]", "*/x"), Values{"1"});
}

TEST_F(AttributeTest, ContentIsLimitedToOnePage) {
  dir.write("big", std::string(10000, 'x'));
  EXPECT_EQ(read("big")->size(), 4096U);
}

TEST_F(AttributeTest, NeverWaitsForAWriter) {
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(read("pipe"), std::nullopt);
}

TEST_F(AttributeTest, ParsesTheUeventFile) {
  dir.write("uevent",
            "MAJOR=188\nMINOR=3\nDEVNAME=bus/usb/001/002\nDEVTYPE=usb_device\nIFINDEX=9\nX\n");
  const auto uevent = read_uevent_file({}, dir.path());
  ASSERT_TRUE(uevent);
  EXPECT_EQ(uevent->devnode, "/dev/bus/usb/001/002");
  EXPECT_EQ(uevent->devtype, "usb_device");
  EXPECT_EQ(uevent->number, (DeviceNumber{.block = false, .major = 188, .minor = 3}));
  EXPECT_EQ(uevent->ifindex, 9U);
}

TEST_F(AttributeTest, DirectoryWithoutUeventIsNoDevice) {
  EXPECT_FALSE(read_uevent_file({}, dir.path()));
}

}  // namespace
}  // namespace patchbay::host
