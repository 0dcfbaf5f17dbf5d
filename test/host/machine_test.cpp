#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "host/node_hardware_reader.h"

namespace patchbay::host {
namespace {

namespace fs = std::filesystem;

const HardwareDevice* find(const NodeHardware& machine, const std::string& path) {
  const auto found = std::ranges::find(machine.devices, path, &HardwareDevice::syspath);
  return found == machine.devices.end() ? nullptr : &*found;
}

TEST(NodeHardware, IsWhatTheKernelHasOnItsBuses) {
  const NodeHardware machine = read_node_hardware();
  size_t functions = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/sys/bus/pci/devices", error)) {
    ++functions;
    const HardwareDevice* thing = find(machine, fs::canonical(entry.path()));
    ASSERT_NE(thing, nullptr) << entry.path();
    EXPECT_EQ(thing->name, entry.path().filename());
    EXPECT_EQ(thing->kind, "pci");
    EXPECT_NE(thing->label.find(':'), std::string::npos) << thing->label;
    const bool bound = fs::exists(entry.path() / "driver");
    EXPECT_EQ(thing->driver,
              bound ? fs::canonical(entry.path() / "driver").filename().string() : "");
  }
  EXPECT_EQ(std::ranges::count(machine.devices, "pci", &HardwareDevice::kind), functions);
}

TEST(NodeHardware, HasWhatContainersCanUse) {
  const NodeHardware machine = read_node_hardware();
  const HardwareDevice* null = find(machine, "/sys/devices/virtual/mem/null");
  ASSERT_NE(null, nullptr);
  EXPECT_EQ(null->devnode, "/dev/null");
  EXPECT_EQ(null->number, (DeviceNumber{.block = false, .major = 1, .minor = 3}));
  EXPECT_EQ(null->kind, "mem");
  ASSERT_NE(find(machine, "/sys/devices/virtual/net/lo"), nullptr);
  EXPECT_FALSE(machine.truncated);
}

}  // namespace
}  // namespace patchbay::host
