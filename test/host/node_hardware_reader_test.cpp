#include "host/facts/node_hardware_reader.h"

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

namespace patchbay::host {
namespace {

namespace fs = std::filesystem;

const HardwareDevice* find(const NodeHardware& machine, const std::string& path) {
  const auto found = std::ranges::find(machine.devices, path, &HardwareDevice::syspath);
  return found == machine.devices.end() ? nullptr : &*found;
}

TEST(NodeHardware, ListsDevicesOnBuses) {
  const NodeHardware machine = read_node_hardware();
  size_t functions = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/sys/bus/pci/devices", error)) {
    ++functions;
    const HardwareDevice* device = find(machine, fs::canonical(entry.path()));
    ASSERT_NE(device, nullptr) << entry.path();
    EXPECT_EQ(device->name, entry.path().filename());
    EXPECT_EQ(device->kind, "pci");
    EXPECT_NE(device->label.find(':'), std::string::npos) << device->label;
    const bool bound = fs::exists(entry.path() / "driver");
    EXPECT_EQ(device->driver,
              bound ? fs::canonical(entry.path() / "driver").filename().string() : "");
  }
  EXPECT_EQ(std::ranges::count(machine.devices, "pci", &HardwareDevice::kind), functions);
}

TEST(NodeHardware, ListsClassDevicesThatContainersCanUse) {
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
