#include "status/counters.h"

#include <chrono>

#include <gtest/gtest.h>

namespace patchbay::status {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;

TEST(Histogram, ValueEqualToBoundIsInItsBucket) {
  Histogram histogram;
  histogram.add(microseconds(50));
  histogram.add(microseconds(51));
  histogram.add(milliseconds(1));
  histogram.add(minutes(1));
  const auto values = histogram.values();
  EXPECT_EQ(values.up_to[0], 1U);
  EXPECT_EQ(values.up_to[1], 2U);
  EXPECT_EQ(values.up_to[3], 2U);
  EXPECT_EQ(values.up_to[4], 3U);
  EXPECT_EQ(values.up_to[Histogram::kBounds.size() - 1], 3U);
  EXPECT_EQ(values.up_to.back(), 4U);
  EXPECT_DOUBLE_EQ(values.seconds, 60.001101);
}

TEST(Histogram, NegativeTimeCountsAsZero) {
  Histogram histogram;
  histogram.add(milliseconds(-5));
  EXPECT_EQ(histogram.values().up_to[0], 1U);
  EXPECT_DOUBLE_EQ(histogram.values().seconds, 0);
}

TEST(Counters, ResourceNameAlwaysHasTheSameCounters) {
  Counters counters;
  counters.of("a.io/x")->registered.add();
  counters.of("a.io/x")->registered.add();
  EXPECT_EQ(counters.all().at("a.io/x")->registered.value(), 2U);
}

TEST(Counters, ProbesAreCountedByKind) {
  ResourceCounters counters;
  EXPECT_FALSE(counters.probes(Check::Kind::exec).any());
  counters.probes(Check::Kind::exec).failed.add();
  EXPECT_TRUE(counters.probes(Check::Kind::exec).any());
  EXPECT_EQ(counters.probes(Check::Kind::exec).failed.value(), 1U);
  EXPECT_FALSE(counters.probes(Check::Kind::tcp).any());
}

}  // namespace
}  // namespace patchbay::status
