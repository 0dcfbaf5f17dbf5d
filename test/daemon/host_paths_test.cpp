#include "daemon/host_paths.h"

#include <gtest/gtest.h>

#include "fake/temp_dir.h"

namespace patchbay::daemon {
namespace {

TEST(NodeNumber, IsOfTheDeviceBehindLinks) {
  const fake::TempDir dir;
  std::filesystem::create_symlink("/dev/null", dir / "link");
  EXPECT_EQ(node_number("", dir / "link"), (DeviceNumber{false, 1, 3}));
  EXPECT_EQ(node_number("/dev", "/null"), (DeviceNumber{false, 1, 3})) << "below the root";
}

TEST(NodeNumber, IsOfNothingElse) {
  const fake::TempDir dir;
  const std::string file = dir.write("file", "");
  EXPECT_EQ(node_number("", file).error().message, file + " is no device node");
  EXPECT_EQ(node_number("", dir / "none").error().message, (dir / "none") + " does not exist");
}

}  // namespace
}  // namespace patchbay::daemon
