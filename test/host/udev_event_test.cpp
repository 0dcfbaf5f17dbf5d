#include "host/udev/udev_event.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace patchbay::host {
namespace {

using namespace std::string_literals;

const std::string kDisk =
    "add@/devices/virtual/block/cciss!c0d0\0ACTION=add\0"
    "DEVPATH=/devices/virtual/block/cciss!c0d0\0SUBSYSTEM=block\0MAJOR=253\0MINOR=2\0"
    "DEVNAME=cciss/c0d0\0DEVTYPE=disk\0DISKSEQ=9\0SEQNUM=1234\0"s;

TEST(UdevEventTest, ParsesTheFieldsOfAMessage) {
  const auto event = parse_uevent(kDisk);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->action, UdevEvent::Action::other);
  EXPECT_EQ(event->seqnum, 1234U);
  DeviceFacts facts;
  facts.key = "/sys/devices/virtual/block/cciss!c0d0";
  facts.name = "cciss/c0d0";
  facts.subsystem = "block";
  facts.devtype = "disk";
  facts.devnode = "/dev/cciss/c0d0";
  facts.number = {true, 253, 2};
  EXPECT_EQ(event->facts(), facts);
}

TEST(UdevEventTest, ParsesTheAction) {
  const auto removed = parse_uevent(
      "remove@/devices/a\0ACTION=remove\0DEVPATH=/devices/a\0SUBSYSTEM=net\0SEQNUM=7\0"s);
  ASSERT_TRUE(removed);
  EXPECT_EQ(removed->action, UdevEvent::Action::remove);
  const auto moved = parse_uevent(
      "move@/devices/a\0ACTION=move\0DEVPATH=/devices/a\0SUBSYSTEM=net\0"
      "DEVPATH_OLD=/devices/b\0SEQNUM=7\0"s);
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->action, UdevEvent::Action::move);
  EXPECT_EQ(moved->old_syspath, "/sys/devices/b");
  EXPECT_FALSE(moved->number);
  EXPECT_EQ(moved->devnode, "");
}

TEST(UdevEventTest, RejectsIncompleteMessages) {
  for (const std::string_view key : {"ACTION", "DEVPATH", "SUBSYSTEM", "SEQNUM"}) {
    std::string message = kDisk;
    message.replace(message.find("\0"s + std::string(key) + "=") + 1, 1, "_");
    EXPECT_FALSE(parse_uevent(message)) << key;
  }
  EXPECT_FALSE(parse_uevent(""));
  EXPECT_FALSE(parse_uevent("add@/devices/a"));
  EXPECT_FALSE(parse_uevent("ACTION=add\0DEVPATH=a\0SUBSYSTEM=net\0SEQNUM=1\0"s));
}

TEST(UdevEventTest, NeverReadsBeyondTheMessage) {
  for (size_t length = 0; length <= kDisk.size(); ++length) {
    const std::string piece = kDisk.substr(0, length);  // A copy, so that a sanitizer detects reads
                                                        // beyond its end.
    const auto event = parse_uevent(piece);
    // Only the NUL after the last line, SEQNUM=, may be missing.
    EXPECT_EQ(event.has_value(), length > kDisk.find("SEQNUM=") + 7) << length;
  }
}

}  // namespace
}  // namespace patchbay::host
