#include "cli/list_printer.h"

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

TEST(ListPrinter, AFirstListIsTheWholeList) {
  ListPrinter lists;
  EXPECT_EQ(lists.changed("a.io/x", {healthy("eth10"), unhealthy("eth2")}),
            "a.io/x: 2 units\n+ a.io/x  eth2  Unhealthy\n+ a.io/x  eth10  Healthy\n");
  EXPECT_EQ(lists.changed("a.io/y", {}), "a.io/y: 0 units\n");
  EXPECT_EQ(lists.changed("a.io/z", {healthy("1")}), "a.io/z: 1 unit\n+ a.io/z  1  Healthy\n");
}

TEST(ListPrinter, ThenOnlyWhatChanged) {
  ListPrinter lists;
  EXPECT_NE(lists.changed("a.io/x", {healthy("a"), healthy("b"), healthy("c")}), "");
  EXPECT_EQ(lists.changed("a.io/x", {healthy("c"), healthy("b"), healthy("a")}), "");
  EXPECT_EQ(lists.changed("a.io/x", {healthy("d"), healthy("c"), unhealthy("b")}),
            "- a.io/x  a\n~ a.io/x  b  Unhealthy\n+ a.io/x  d  Healthy\n");
  EXPECT_EQ(lists.changed("a.io/x", {}), "- a.io/x  b\n- a.io/x  c\n- a.io/x  d\n");
}

TEST(ListPrinter, AfterTheEndOfAStreamTheNextListIsAFirstOne) {
  ListPrinter lists;
  EXPECT_NE(lists.changed("a.io/x", {healthy("a")}), "");
  lists.ended("a.io/x");
  lists.ended("a.io/unknown");
  EXPECT_EQ(lists.changed("a.io/x", {healthy("a")}), "a.io/x: 1 unit\n+ a.io/x  a  Healthy\n");
}

TEST(ListPrinter, AllOfThemAsATable) {
  ListPrinter lists;
  EXPECT_EQ(lists.table(), "RESOURCE  UNIT  HEALTH\n");
  EXPECT_NE(lists.changed("a.io/y", {}), "");
  EXPECT_NE(lists.changed("a.io/x", {healthy("eth10"), unhealthy("eth2")}), "");
  EXPECT_EQ(lists.table(),
            "RESOURCE  UNIT   HEALTH\n"
            "a.io/x    eth2   Unhealthy\n"
            "a.io/x    eth10  Healthy\n"
            "a.io/y    -\n");
}

TEST(ListPrinter, StrangeIdsArePrintedSafely) {
  ListPrinter lists;
  EXPECT_EQ(lists.changed("a.io/x", {healthy("\x1b[2J")}),
            "a.io/x: 1 unit\n+ a.io/x  \\x1b[2J  Healthy\n");
  EXPECT_EQ(lists.table(), "RESOURCE  UNIT     HEALTH\na.io/x    \\x1b[2J  Healthy\n");
}

}  // namespace
}  // namespace patchbay::cli
