#include <gtest/gtest.h>

#include "fake/temp_dir.h"
#include "host/facts/device_list.h"

namespace patchbay::host {
namespace {

using Nodes = std::set<int>;

TEST(OnlineNodes, ParsesRanges) {
  EXPECT_EQ(parse_node_list("0"), Nodes{0});
  EXPECT_EQ(parse_node_list("0-2,8,10-11"), (Nodes{0, 1, 2, 8, 10, 11}));
}

TEST(OnlineNodes, RejectsInvalidLists) {
  for (const std::string text : {"", "a", "0-", "-1", "1,", "0-9999999999", "1 2"}) {
    EXPECT_EQ(parse_node_list(text), Nodes{}) << text;
  }
}

TEST(OnlineNodes, ReadsTheKernelsFile) {
  const fake::TempDir dir;
  const DeviceTree tree({}, dir.path());
  EXPECT_EQ(read_online_nodes(tree), Nodes{});
  dir.write("devices/system/node/online", "0-1\n");
  EXPECT_EQ(read_online_nodes(tree), (Nodes{0, 1}));
}

}  // namespace
}  // namespace patchbay::host
