#include "host/facts/database_id.h"

#include <optional>

#include <gtest/gtest.h>

namespace patchbay::host {
namespace {

DatabaseId number(bool block, uint32_t major, uint32_t minor) {
  DatabaseId id;
  id.number = DeviceNumber{.block = block, .major = major, .minor = minor};
  return id;
}

TEST(DatabaseId, ParsesDeviceNumbers) {
  EXPECT_EQ(parse_database_id("c188:0"), number(false, 188, 0));
  EXPECT_EQ(parse_database_id("b7:12"), number(true, 7, 12));
}

TEST(DatabaseId, ParsesInterfaceIndexes) {
  DatabaseId id;
  id.ifindex = 3;
  EXPECT_EQ(parse_database_id("n3"), id);
}

TEST(DatabaseId, ParsesSubsystemAndName) {
  DatabaseId id;
  id.subsystem = "pci";
  id.sysname = "0000:00:1f.2";
  EXPECT_EQ(parse_database_id("+pci:0000:00:1f.2"), id) << "only the first colon separates";
}

TEST(DatabaseId, RejectsOtherNames) {
  for (const char* name : {"",           "c",      "n",          "+",      "c1",
                           "c1:",        "c:1",    "c1:x",       "c1:2:3", "c-1:2",
                           "n3x",        "n-3",    "+pci",       "+pci:",  "+:x",
                           "+a:../../x", "+a/b:c", ".#c188:0Xy", "x1:2",   "c99999999999:1"}) {
    EXPECT_EQ(parse_database_id(name), std::nullopt) << name;
  }
}

TEST(DatabaseId, BuildsTheNameThatUdevUses) {
  DeviceFacts facts;
  facts.key = "/sys/devices/pci0000:00/0000:00:1f.2/usb1/1-2/1-2:1.0";
  facts.subsystem = "usb";
  EXPECT_EQ(database_id(facts, std::nullopt), "+usb:1-2:1.0");
  EXPECT_EQ(database_id(facts, 7), "n7");
  facts.number = DeviceNumber{.block = true, .major = 259, .minor = 1};
  EXPECT_EQ(database_id(facts, std::nullopt), "b259:1");
}

}  // namespace
}  // namespace patchbay::host
