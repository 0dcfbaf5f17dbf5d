#include <gmock/gmock.h>

#include "machine/machine_text.h"

namespace patchbay::machine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

std::string fault_of(const std::string& text) {
  const auto machine = read_machine("m.txt", text);
  return machine ? "" : machine.error().message;
}

TEST(MachineReader, ReadsADevice) {
  const auto machine = read_machine("m.txt",
                                    "# a comment\n"
                                    "P: /devices/pci0/usb1/1-1/1-1:1.0/ttyUSB0/tty/ttyUSB0\n"
                                    "U: tty\n"
                                    "N: ttyUSB0\n"
                                    "D: c 188:0\n"
                                    "A: uevent=MAJOR=188\\nMINOR=0\n"
                                    "L: physfn=/devices/pci0/other\n"
                                    "S: serial/by-id/usb-a\n"
                                    "E: ID_MODEL_ENC=FT232R\\x20USB\n"
                                    "G: systemd\n");
  ASSERT_TRUE(machine) << machine.error().message;
  ASSERT_EQ(machine->devices.size(), 1U);
  const Device& device = machine->devices.begin()->second;
  EXPECT_EQ(device.subsystem, "tty");
  EXPECT_FALSE(device.on_bus);
  EXPECT_EQ(device.node, "ttyUSB0");
  EXPECT_EQ(device.number, (DeviceNumber{.block = false, .major = 188, .minor = 0}));
  EXPECT_THAT(device.attributes, ElementsAre(Pair("uevent", "MAJOR=188\nMINOR=0")));
  EXPECT_THAT(device.links, ElementsAre(Pair("physfn", "/devices/pci0/other")));
  EXPECT_THAT(device.properties, ElementsAre(Pair("ID_MODEL_ENC", "FT232R\\x20USB")));
  EXPECT_THAT(device.devlinks, ElementsAre("serial/by-id/usb-a"));
  EXPECT_THAT(device.tags, ElementsAre("systemd"));
  EXPECT_TRUE(device.has_record);
  EXPECT_EQ(device.line, 2U);
}

TEST(MachineReader, ReadsFilesOfTheHost) {
  const auto machine = read_machine("m.txt",
                                    "F: /proc/devices=1 mem\\n\n"
                                    "F: /run/empty/\n"
                                    "R: /probes/a=#!/bin/sh\n"
                                    "K: /run/vm.sock\n"
                                    "X: nvidiactl=c 195:255\n"
                                    "L: /dev/core=/proc/kcore\n"
                                    "C: 127.5.0.1:5025\n");
  ASSERT_TRUE(machine) << machine.error().message;
  const auto kind_of = [&](const char* path) { return machine->files.at(path).kind; };
  EXPECT_EQ(machine->files.size(), 6U);
  EXPECT_EQ(machine->files.at("/proc/devices").content, "1 mem\n");
  EXPECT_EQ(kind_of("/run/empty"), HostFile::Kind::directory);
  EXPECT_EQ(kind_of("/probes/a"), HostFile::Kind::program);
  EXPECT_EQ(kind_of("/run/vm.sock"), HostFile::Kind::socket);
  EXPECT_EQ(machine->files.at("/dev/nvidiactl").number, (DeviceNumber{false, 195, 255}));
  EXPECT_EQ(machine->files.at("/dev/core").content, "/proc/kcore");
}

TEST(MachineReader, KnowsBusesAndClasses) {
  const auto machine = read_machine("m.txt",
                                    "P: /devices/a\nU: pci\n"
                                    "P: /devices/b\nU: net\n"
                                    "P: /devices/chip/gpio/gpiochip0\nU: gpio\n"
                                    "P: /devices/chip/gpiochip0\nU: gpio\n"
                                    "P: /devices/c\nU: bus/net\n"
                                    "P: /devices/d\nU: class/pci\n");
  ASSERT_TRUE(machine) << machine.error().message;
  std::vector<std::string> on_bus;
  for (const auto& [path, device] : machine->devices) {
    if (device.on_bus) on_bus.push_back(path);
  }
  EXPECT_THAT(on_bus, UnorderedElementsAre("/devices/a", "/devices/c", "/devices/chip/gpiochip0"));
  EXPECT_EQ(machine->devices.at("/devices/c").subsystem, "net");
}

TEST(MachineReader, ReadsTheOutputOfUdevadm) {
  const auto machine = read_machine("mail.txt",
                                    "P: /devices/pci0000:00/0000:00:14.0/usb1/1-4\r\n"
                                    "M: 1-4\r\n"
                                    "R: 4\r\n"
                                    "U: usb\r\n"
                                    "T: usb_device\r\n"
                                    "D: c 189:1\r\n"
                                    "N: bus/usb/001/002\r\n"
                                    "L: 0\r\n"
                                    "Q: 1\r\n"
                                    "V: usb\r\n"
                                    "E: PRODUCT=403/6001/600\r\n"
                                    "E: TAGS=:seat:systemd:\r\n"
                                    "\r\n");
  ASSERT_TRUE(machine) << machine.error().message;
  const Device& device = machine->devices.begin()->second;
  EXPECT_EQ(device.attributes.at("idVendor"), "0403");
  EXPECT_THAT(device.tags, ElementsAre("seat", "systemd"));
  EXPECT_TRUE(device.on_bus);
}

TEST(MachineReader, ToleratesOddLinesOfUdevadm) {
  const auto machine = read_machine("m.txt",
                                    "P: /devices/virtual/rtc/rtc0\n"
                                    "L: -100\n"
                                    "S: rtc\n"
                                    "E: SUBSYSTEM=rtc\n"
                                    "\n"
                                    "P: /devices/card0/i2c-4\n"
                                    "E: SUBSYSTEM=i2c\n"
                                    "E: HID_UNIQ=\n"
                                    "MODALIAS=hid:b0003\n"
                                    "\n"
                                    "x: y\n"
                                    "E: DRIVER=old\n"
                                    "\n"
                                    "P: /devices/card0/i2c-4\n"
                                    "E: SUBSYSTEM=i2c\n"
                                    "S: serial/by-id/port_\u0092_0\n"
                                    "S: serial/by-id/port_\x1b\n"
                                    "S: serial/by-id/good\n"
                                    "E: DRIVER=new\n");
  ASSERT_TRUE(machine) << machine.error().message;
  EXPECT_EQ(machine->devices.size(), 2U);
  EXPECT_THAT(machine->devices.at("/devices/virtual/rtc/rtc0").devlinks, ElementsAre("rtc"));
  const Device& twice = machine->devices.at("/devices/card0/i2c-4");
  EXPECT_EQ(twice.driver, "new");
  EXPECT_EQ(twice.line, 14U);
  EXPECT_THAT(twice.devlinks, ElementsAre("serial/by-id/good"));
  EXPECT_FALSE(twice.properties.contains("HID_UNIQ")) << "the later block counts";
  EXPECT_THAT(machine->left_out,
              ElementsAre("m.txt:16: the link is left out: a path cannot have this character: "
                          "'serial/by-id/port_\\u0092_0'",
                          "m.txt:17: the link is left out: a path cannot have this character: "
                          "'serial/by-id/port_\\x1b'"));
}

TEST(MachineReader, RejectsLinesThatUdevadmDoesNotWrite) {
  EXPECT_EQ(fault_of("P: /devices/a\nU: tty\nMODALIAS=x\n"),
            "m.txt:3: a letter, a colon and a space are expected, such as 'P: /devices/…'");
  EXPECT_EQ(fault_of("# patchbay snapshot, format 1\nP: /devices/a\nU: tty\nE: A=1\nB=2\n# end\n"),
            "m.txt:5: a letter, a colon and a space are expected, such as 'P: /devices/…'");
  EXPECT_EQ(fault_of("P: /devices/a\nU: tty\nL: -\n"),
            "m.txt:3: NAME=/PATH is expected, with a path below /sys");
}

TEST(MachineReader, RejectsTooManyDevicesOrLines) {
  std::string text;
  for (size_t i = 0; i <= kMostDevices; ++i)
    text += "P: /devices/" + std::to_string(i) + "\nU: a\n";
  EXPECT_EQ(fault_of(text),
            "m.txt:" + std::to_string(2 * kMostDevices + 1) + ": the file has too many devices");
  EXPECT_EQ(fault_of(std::string(kMostLines, '\n')),
            "m.txt:" + std::to_string(kMostLines + 1) + ": the file has too many lines");
}

TEST(MachineReader, ErrorStatesLineOfMistake) {
  EXPECT_EQ(fault_of(""),
            "m.txt:1: the file describes no device; `patchbay snapshot` writes such a file");
  EXPECT_EQ(fault_of("P: /devices/a\nU: tty\nU: tty\n"), "m.txt:3: a second 'U:' for this device");
  EXPECT_EQ(fault_of("P: /sys/devices/a\n"),
            "m.txt:1: a path below /devices is expected, as udevadm prints it");
  EXPECT_EQ(fault_of("P: /devices/a/../b\n"),
            "m.txt:1: a path below /devices is expected, as udevadm prints it");
  EXPECT_EQ(fault_of("# patchbay snapshot, format 1\nP: /devices/a\nU: tty\nP: /devices/a\n"),
            "m.txt:4: this device is in line 2 already");
  EXPECT_EQ(fault_of("U: tty\n"), "m.txt:1: 'U:' belongs to a device, and no 'P:' is above it");
  EXPECT_EQ(fault_of("P: /devices/a\nZ: 1\n"),
            "m.txt:2: 'Z:' is unknown: the file is from a newer patchbay, or describes no machine");
  EXPECT_EQ(fault_of("hello\n"),
            "m.txt:1: a letter, a colon and a space are expected, such as 'P: /devices/…'");
  EXPECT_EQ(fault_of("P: /devices/a\nA: x\n"), "m.txt:2: NAME=VALUE is expected");
  EXPECT_EQ(fault_of("P: /devices/a\nA: x=1\nA: x=2\n"),
            "m.txt:3: a second value for 'x' of this device");
  EXPECT_EQ(fault_of("P: /devices/a\nA: ../../x=1\n"),
            "m.txt:2: the name is no path below the device's directory");
  EXPECT_EQ(fault_of("P: /devices/a\nL: a/../b=/devices/a\n"),
            "m.txt:2: the name is no path below the device's directory");
  EXPECT_EQ(fault_of("P: /devices/a\nV: a/b\n"), "m.txt:2: the name of a driver is expected");
  EXPECT_EQ(fault_of("P: /devices/" + std::string(5000, 'a') + "\n"),
            "m.txt:1: a path below /devices is expected, as udevadm prints it");
  EXPECT_EQ(fault_of("P: /devices/a\nD: c 188\n"),
            "m.txt:2: the type and number of a node are expected, such as 'c 188:0'");
  EXPECT_EQ(fault_of("P: /devices/a\nU: tty\nN: ttyS0\n"),
            "m.txt:1: this device needs both or none of 'N:' and 'D:'");
  EXPECT_EQ(fault_of("P: /devices/a\n"), "m.txt:1: this device needs 'U:'");
  EXPECT_EQ(fault_of("F: /a/../b=1\n"),
            "m.txt:1: an absolute path is expected, without '.', '..' and '//'");
  EXPECT_EQ(fault_of("F: /a=1\nF: /a=2\n"), "m.txt:2: this path is in the file already");
  EXPECT_EQ(fault_of("P: /devices/a\nS: ../../etc/passwd\n"),
            "m.txt:2: a path below /dev is expected, without '/dev/'");
}

TEST(MachineReader, DetectsTruncatedSnapshot) {
  EXPECT_EQ(fault_of("# patchbay snapshot, format 1\nP: /devices/a\nU: tty\n# end\n"), "");
  EXPECT_EQ(fault_of("# patchbay snapshot, format 1\nP: /devices/a\nU: tty\n"),
            "m.txt:4: the file is cut: its last line is not '# end'; record the machine again");
}

TEST(MachineReader, RefusesANewerFormat) {
  EXPECT_EQ(fault_of("# patchbay snapshot, format 2\nP: /devices/a\nU: tty\n# end\n"),
            "m.txt:1: the file has format 2, and this program reads format 1: use the patchbay "
            "that recorded it, or a newer one");
  EXPECT_EQ(fault_of("# patchbay snapshot, format x\n"),
            "m.txt:1: a format number is expected at the end of this line");
}

TEST(MachineReader, DetectsMissingParentsInSnapshot) {
  const std::string header = "# patchbay snapshot, format 1\n";
  const std::string tty = "P: /devices/pci0/1.0/tty/ttyS0\nU: tty\n";
  EXPECT_EQ(fault_of(header + tty + "# end\n"),
            "m.txt:2: the device above this one is not in the file: record the machine again, or "
            "copy its block from the original file");
  EXPECT_EQ(fault_of(header + tty + "P: /devices/pci0/1.0\n# end\n"), "");
  EXPECT_EQ(fault_of(header + "P: /devices/virtual/tty/tty0\nU: tty\n# end\n"), "");
  EXPECT_EQ(fault_of(tty), "");
}

TEST(MachineReader, DeviceHasRecordIfUdevHasProcessedIt) {
  const std::string node = "P: /devices/a\nU: tty\nN: ttyS0\nD: c 4:64\n";
  EXPECT_TRUE(read_machine("m", node)->devices.begin()->second.has_record);
  const std::string header = "# patchbay snapshot, format 1\n";
  EXPECT_FALSE(read_machine("m", header + node + "# end\n")->devices.begin()->second.has_record);
  EXPECT_TRUE(read_machine("m", header + node + "E: USEC_INITIALIZED=1\n# end\n")
                  ->devices.begin()
                  ->second.has_record);
}

}  // namespace
}  // namespace patchbay::machine
