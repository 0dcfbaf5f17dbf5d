#include "cli/standalone/preference_query.h"

#include <gtest/gtest.h>

namespace patchbay::cli {
namespace {

using Ids = std::vector<std::string>;

/// eth2 is unhealthy.
ListPrinter::List nics() {
  ListPrinter::List list;
  for (const std::string id : {"eth0", "eth1", "eth2", "eth10"}) {
    list[id] = {.id = id, .healthy = id != "eth2", .numa_nodes = {}};
  }
  return list;
}

Result<standin::PreferenceQuery> query(int32_t count, const Ids& ids) {
  LineCommand line;
  line.count = count;
  line.ids = ids;
  return preference_query(line, "a.io/nic", nics());
}

std::string refusal(int32_t count, const Ids& ids) {
  const auto asked = query(count, ids);
  return asked ? "asked" : asked.error().message;
}

TEST(PreferenceQuery, ContainsAllHealthyUnitsAndRequiredOnes) {
  const auto asked = query(2, {"eth10"});
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->available, (Ids{"eth0", "eth1", "eth10"}));
  EXPECT_EQ(asked->must_include, Ids{"eth10"});
  EXPECT_EQ(asked->size, 2);
  EXPECT_TRUE(query(3, {"eth1", "eth10", "eth0"}));
}

TEST(PreferenceQuery, RejectsUnitsThatKubeletWouldNotAllocate) {
  EXPECT_EQ(refusal(1, {"eth2"}), "unit 'eth2' of a.io/nic is Unhealthy");
  EXPECT_EQ(refusal(1, {"eth01"}), "a.io/nic has no unit 'eth01'; did you mean 'eth0'?");
  EXPECT_EQ(refusal(1, {"modem"}), "a.io/nic has no unit 'modem'");
}

TEST(PreferenceQuery, RejectsNumbersOutOfRange) {
  EXPECT_EQ(refusal(4, {}), "a.io/nic has 3 healthy units, fewer than 4");
  EXPECT_EQ(refusal(1, {"eth0", "eth1"}), "2 units named, but only 1 asked for");
  EXPECT_EQ(refusal(2, {"eth0", "eth0"}), "'eth0' is named twice");
}

}  // namespace
}  // namespace patchbay::cli
