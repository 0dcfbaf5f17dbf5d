#include "machine/machine_files.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <gmock/gmock.h>

#include "machine/machine_text.h"
#include "paths/host_root.h"

namespace patchbay::machine {
namespace {

using testing::ElementsAre;
using testing::IsSupersetOf;

paths::HostRoot root_of(const std::string& text) {
  const auto machine = read_machine("m.txt", text);
  EXPECT_TRUE(machine) << machine.error().message;
  return machine ? paths::HostRoot(files_of(*machine)) : paths::HostRoot();
}

constexpr const char* kAdapter =
    "P: /devices/pci0/usb1/1-4\n"
    "U: usb\n"
    "T: usb_device\n"
    "V: usb\n"
    "A: serial=A1\n"
    "L: port=/devices/pci0/usb1/1-0/port4\n"
    "P: /devices/pci0/usb1/1-4/tty/ttyUSB0\n"
    "U: tty\n"
    "N: ttyUSB0\n"
    "D: c 188:0\n"
    "S: serial/by-id/a\n"
    "E: ID_BUS=usb\n"
    "G: seat\n";

TEST(MachineFiles, HaveDevicesOfTheKernel) {
  const auto root = root_of(kAdapter);
  const std::string adapter = "/sys/devices/pci0/usb1/1-4";
  EXPECT_EQ(root.read_attribute(adapter + "/serial"), "A1\n");
  EXPECT_EQ(root.read_attribute(adapter + "/uevent"), "DEVTYPE=usb_device\nDRIVER=usb\n");
  EXPECT_EQ(root.resolve(adapter + "/subsystem"), "/sys/bus/usb");
  EXPECT_EQ(root.resolve(adapter + "/driver"), "/sys/bus/usb/drivers/usb");
  EXPECT_EQ(root.resolve(adapter + "/port"), "/sys/devices/pci0/usb1/1-0/port4");
  EXPECT_EQ(root.resolve("/sys/bus/usb/devices/1-4"), adapter);
  EXPECT_EQ(root.link_target("/sys/class/tty/ttyUSB0"), "../../devices/pci0/usb1/1-4/tty/ttyUSB0");
  EXPECT_EQ(root.resolve(adapter + "/tty/ttyUSB0/device"), adapter);
  EXPECT_EQ(root.resolve("/sys/dev/char/188:0"), adapter + "/tty/ttyUSB0");
  EXPECT_EQ(root.read_attribute(adapter + "/tty/ttyUSB0/uevent"),
            "MAJOR=188\nMINOR=0\nDEVNAME=ttyUSB0\n");
}

TEST(MachineFiles, HaveDeviceNodes) {
  const auto root = root_of(kAdapter);
  const auto node = root.status("/dev/serial/by-id/a");
  ASSERT_TRUE(node);
  EXPECT_TRUE(S_ISCHR(node->st_mode));
  EXPECT_EQ(node->st_rdev, ::gnu_dev_makedev(188, 0));
  EXPECT_TRUE(root.exists("/dev/null"));
  EXPECT_THAT(root.names_in("/dev"), IsSupersetOf({"ttyUSB0", "serial", "null", "urandom"}));
}

TEST(MachineFiles, HaveRecordsOfUdev) {
  const auto root = root_of(kAdapter);
  EXPECT_EQ(root.read_file("/run/udev/data/c188:0"),
            "S:serial/by-id/a\nI:1\nE:ID_BUS=usb\nG:seat\nQ:seat\nV:1");
  EXPECT_THAT(root.names_in("/run/udev/data"), ElementsAre("c188:0"));
}

TEST(MachineFiles, NameRecordsAsUdevDoes) {
  const auto root = root_of(
      "P: /devices/a/net/eth0\nU: net\nI: 3\nE: A=1\n"
      "P: /devices/a/block/sda\nU: block\nN: sda\nD: b 8:0\nE: A=1\n"
      "P: /devices/a\nU: pci\nE: A=1\n");
  EXPECT_THAT(root.names_in("/run/udev/data"),
              testing::UnorderedElementsAre("n3", "b8:0", "+pci:a"));
  EXPECT_EQ(root.read_attribute("/sys/class/net/eth0/uevent"), "INTERFACE=eth0\nIFINDEX=3\n");
  EXPECT_EQ(root.read_attribute("/sys/class/net/eth0/ifindex"), "3\n");
}

TEST(MachineFiles, UeventHasPropertiesIfUdevHasNoRecord) {
  const auto root =
      root_of("# patchbay snapshot, format 1\nP: /devices/a\nU: pci\nE: PCI_ID=8086:43ED\n# end\n");
  EXPECT_EQ(root.read_attribute("/sys/devices/a/uevent"), "PCI_ID=8086:43ED\n");
  EXPECT_TRUE(root.names_in("/run/udev/data").empty());
}

TEST(MachineFiles, PreferRecordedUevent) {
  const auto root = root_of("P: /devices/a\nU: tty\nA: uevent=X=1\n");
  EXPECT_EQ(root.read_attribute("/sys/devices/a/uevent"), "X=1\n");
}

TEST(MachineFiles, LinkOfTwoDevicesLeadsToOneOfThem) {
  const auto root = root_of(
      "P: /devices/a\nU: tty\nN: ttyS0\nD: c 4:64\nS: one\n"
      "P: /devices/b\nU: tty\nN: ttyS1\nD: c 4:65\nS: one\n");
  EXPECT_EQ(root.resolve("/dev/one"), "/dev/ttyS1");
}

TEST(MachineFiles, HaveFilesOfTheHost) {
  const auto root = root_of(
      "F: /proc/devices=1 mem\\n\nR: /probes/a=x\nK: /run/a.sock\nX: ctl=c 195:255\n"
      "L: /dev/core=/proc/kcore\nF: /run/empty/\n");
  EXPECT_EQ(root.read_file("/proc/devices"), "1 mem");
  EXPECT_EQ(root.status("/probes/a")->st_mode, static_cast<mode_t>(S_IFREG | 0755));
  EXPECT_TRUE(S_ISSOCK(root.status("/run/a.sock")->st_mode));
  EXPECT_EQ(root.status("/dev/ctl")->st_rdev, ::gnu_dev_makedev(195, 255));
  EXPECT_EQ(root.link_target("/dev/core"), "/proc/kcore");
  EXPECT_TRUE(S_ISDIR(root.status("/run/empty")->st_mode));
}

}  // namespace
}  // namespace patchbay::machine
