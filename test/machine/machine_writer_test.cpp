#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>

#include "machine/machine_text.h"

namespace patchbay::machine {
namespace {

namespace fs = std::filesystem;

/// A machine file with every kind of line.
constexpr const char* kText =
    "# patchbay snapshot, format 1\n"
    "# a note\n"
    "\n"
    "L: /dev/core=/proc/kcore\n"
    "X: ctl=c 195:255\n"
    "F: /etc/a=one\\ntwo\n"
    "R: /probes/a=#!/bin/sh\\n\n"
    "F: /run/empty/\n"
    "K: /run/vm.sock\n"
    "\n"
    "P: /devices/pci0\n"
    "\n"
    "P: /devices/pci0/net/eth0\n"
    "U: net\n"
    "I: 3\n"
    "\n"
    "P: /devices/pci0/odd\n"
    "U: class/pci\n"
    "\n"
    "P: /devices/pci0/tty/ttyS0\n"
    "U: tty\n"
    "T: port\n"
    "V: serial\n"
    "N: ttyS0\n"
    "D: c 4:64\n"
    "A: irq=4\n"
    "A: queue/depth=1\n"
    "L: physfn=/devices/pci0\n"
    "S: serial/by-path/2\n"
    "S: serial/by-path/10\n"
    "E: ID_MODEL_ENC=a\\x20b\n"
    "E: USEC_INITIALIZED=1\n"
    "G: seat\n"
    "\n"
    "# end\n";

TEST(MachineWriter, WritesFileAsItWasRead) {
  const auto machine = read_machine("m.txt", kText);
  ASSERT_TRUE(machine) << machine.error().message;
  EXPECT_EQ(write_machine(*machine, {"a note"}), kText);
}

TEST(MachineWriter, DescribedMachinesSurviveWriteAndRead) {
  for (const auto& entry : fs::directory_iterator(PATCHBAY_SOURCE_DIR "/test/hardware/machines")) {
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    auto machine = read_machine(entry.path(), text.str());
    ASSERT_TRUE(machine) << machine.error().message;
    // A snapshot records whether udev has finished a device, which these files omit.
    for (auto& [path, device] : machine->devices) {
      if (device.has_record) device.properties.emplace("USEC_INITIALIZED", "1");
      std::ranges::sort(device.devlinks);
    }
    std::string written = write_machine(*machine, {});
    // Removes the header of snapshots. These files describe no whole machine, so parents of devices
    // are missing.
    written.erase(0, written.find('\n') + 1);
    const auto again = read_machine("again", written);
    ASSERT_TRUE(again) << entry.path() << ": " << again.error().message;
    EXPECT_EQ(write_machine(*again, {}), write_machine(*machine, {})) << entry.path();
    EXPECT_EQ(again->devices.size(), machine->devices.size()) << entry.path();
  }
}

}  // namespace
}  // namespace patchbay::machine
