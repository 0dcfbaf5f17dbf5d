#include "cli/commands/list_printer.h"

#include <gtest/gtest.h>

namespace patchbay::cli {
namespace {

using Devices = std::vector<standin::ListedDevice>;

standin::ListedDevice healthy(const std::string& id) {
  return {.id = id, .healthy = true, .numa_nodes = {}};
}
standin::ListedDevice unhealthy(const std::string& id) {
  return {.id = id, .healthy = false, .numa_nodes = {}};
}
standin::ListedDevice at_nodes(const std::string& id, const std::vector<int64_t>& nodes) {
  return {.id = id, .healthy = true, .numa_nodes = nodes};
}

TEST(ListPrinter, PrintsWholeFirstList) {
  ListPrinter lists;
  EXPECT_EQ(lists.changed("a.io/x", {healthy("eth10"), unhealthy("eth2")}),
            "a.io/x: 2 units\n+ a.io/x  eth2  Unhealthy\n+ a.io/x  eth10  Healthy\n");
  EXPECT_EQ(lists.changed("a.io/y", {}), "a.io/y: 0 units\n");
  EXPECT_EQ(lists.changed("a.io/z", {healthy("1")}), "a.io/z: 1 unit\n+ a.io/z  1  Healthy\n");
}

TEST(ListPrinter, PrintsOnlyChangesAfterwards) {
  ListPrinter lists;
  EXPECT_NE(lists.changed("a.io/x", {healthy("a"), healthy("b"), healthy("c")}), "");
  EXPECT_EQ(lists.changed("a.io/x", {healthy("c"), healthy("b"), healthy("a")}), "");
  EXPECT_EQ(lists.changed("a.io/x", {healthy("d"), healthy("c"), unhealthy("b")}),
            "- a.io/x  a\n~ a.io/x  b  Unhealthy\n+ a.io/x  d  Healthy\n");
  EXPECT_EQ(lists.changed("a.io/x", {}), "- a.io/x  b\n- a.io/x  c\n- a.io/x  d\n");
}

TEST(ListPrinter, PrintsWholeListAfterStreamEnds) {
  ListPrinter lists;
  EXPECT_NE(lists.changed("a.io/x", {healthy("a")}), "");
  lists.ended("a.io/x");
  lists.ended("a.io/unknown");
  EXPECT_EQ(lists.changed("a.io/x", {healthy("a")}), "a.io/x: 1 unit\n+ a.io/x  a  Healthy\n");
}

TEST(ListPrinter, PrintsNumaNodesOfUnitsThatHaveSome) {
  ListPrinter lists;
  EXPECT_EQ(lists.changed("a.io/x", {at_nodes("a", {0}), at_nodes("b", {0, 1})}),
            "a.io/x: 2 units\n+ a.io/x  a  Healthy  NUMA 0\n+ a.io/x  b  Healthy  NUMA 0,1\n");
  EXPECT_EQ(lists.changed("a.io/y", {healthy("c")}), "a.io/y: 1 unit\n+ a.io/y  c  Healthy\n");
}

TEST(ListPrinter, PrintsChangedNumaNodes) {
  ListPrinter lists;
  EXPECT_NE(lists.changed("a.io/x", {at_nodes("a", {0}), healthy("b")}), "");
  EXPECT_EQ(lists.changed("a.io/x", {at_nodes("a", {1}), healthy("b")}),
            "~ a.io/x  a  Healthy  NUMA 1\n");
  EXPECT_EQ(lists.changed("a.io/x", {unhealthy("a"), at_nodes("b", {1})}),
            "~ a.io/x  a  Unhealthy  no NUMA node\n~ a.io/x  b  Healthy  NUMA 1\n");
  EXPECT_EQ(lists.changed("a.io/x", {unhealthy("a"), at_nodes("b", {1})}), "");
}

TEST(ListPrinter, EscapesIds) {
  ListPrinter lists;
  EXPECT_EQ(lists.changed("a.io/x", {healthy("\x1b[2J")}),
            "a.io/x: 1 unit\n+ a.io/x  \\x1b[2J  Healthy\n");
}

}  // namespace
}  // namespace patchbay::cli
