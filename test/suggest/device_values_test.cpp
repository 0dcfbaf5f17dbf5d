#include "suggest/device_values.h"

#include <string>

#include <gtest/gtest.h>

#include "machine/machine_files.h"
#include "machine/machine_text.h"

namespace patchbay::suggest {
namespace {

constexpr const char* kDevices = R"(
P: /devices/virtual/lab/lab0
U: lab
N: lab0
D: c 240:0
S: lab/by-id/equal
S: lab/by-path/0

P: /devices/virtual/lab/lab1
U: lab
N: lab1
D: c 240:1
S: lab/by-id/equal
)";

TEST(DeviceReader, KnowsWhetherALinkLeadsToOneDeviceOnly) {
  const auto machine = machine::read_machine("machine.txt", kDevices);
  ASSERT_TRUE(machine);
  DeviceReader reader{paths::HostRoot(machine::files_of(*machine))};
  const DeviceFactsPtr first = reader.read("/sys/devices/virtual/lab/lab0");
  const DeviceFactsPtr second = reader.read("/sys/devices/virtual/lab/lab1");
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(reader.is_only_target(*first, "/dev/lab/by-path/0"));
  EXPECT_FALSE(reader.is_only_target(*second, "/dev/lab/by-path/0"));
  EXPECT_FALSE(reader.is_only_target(*first, "/dev/lab/by-id/equal"));
  EXPECT_FALSE(reader.is_only_target(*second, "/dev/lab/by-id/equal"));
  EXPECT_FALSE(reader.is_only_target(*first, "/dev/lab/by-id/none"));
}

}  // namespace
}  // namespace patchbay::suggest
