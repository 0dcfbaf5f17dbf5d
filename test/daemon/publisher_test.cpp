#include <vector>

#include <gtest/gtest.h>

#include "daemon/offer.h"
#include "fake/manual_loop.h"
#include "inventory/inventory_fixture.h"

namespace patchbay::daemon {
namespace {

using namespace std::chrono_literals;

class PublisherTest : public ::testing::Test {
 protected:
  inventory::SnapshotPtr offer(std::optional<loop::Time> event_time = {}) {
    auto snapshot = std::make_shared<const inventory::Snapshot>(inventory::Snapshot{
        .resource = plan_->resources.at(0), .units = {}, .event_time = event_time});
    publisher_.offer(snapshot);
    return snapshot;
  }

  const rules::PlanPtr plan_ = inventory::plan_of("  - {name: a.io/x, match: {static: [x]}}\n");
  fake::ManualLoop loop_;
  std::vector<inventory::SnapshotPtr> sent_;
  Publisher publisher_{loop_, [this](inventory::SnapshotPtr s) { sent_.push_back(std::move(s)); }};
};

TEST_F(PublisherTest, SendsFirstChangeAtOnce) {
  const auto first = offer();
  EXPECT_EQ(sent_, std::vector{first});
}

TEST_F(PublisherTest, CombinesFurtherChangesUntilSettleTimeEnds) {
  const auto first = offer();
  offer();
  const auto last = offer();
  EXPECT_EQ(sent_.size(), 1U);
  loop_.advance(99ms);
  EXPECT_EQ(sent_.size(), 1U);
  loop_.advance(1ms);
  EXPECT_EQ(sent_, (std::vector{first, last}));
}

TEST_F(PublisherTest, SendsOneListPerSettleTimeDuringStorm) {
  offer();
  for (int i = 0; i < 1000; ++i) {
    loop_.advance(1ms);
    offer();
  }
  EXPECT_EQ(sent_.size(), 1U + 1000 / 100);
}

TEST_F(PublisherTest, SentSnapshotHasEarliestEventTimeOfSkippedOnes) {
  const loop::Time start = loop_.now();
  offer(start);
  offer();
  offer(start + 2ms);
  offer(start + 1ms);
  offer(start + 3ms);
  offer();
  publisher_.flush();
  EXPECT_EQ(sent_.at(0)->event_time, start);
  EXPECT_EQ(sent_.at(1)->event_time, start + 1ms);
  offer();
  publisher_.flush();
  EXPECT_EQ(sent_.at(2)->event_time, std::nullopt);
}

TEST_F(PublisherTest, FlushSendsAtOnceAndRestartsSettleTime) {
  const auto first = offer();
  const auto second = offer();
  publisher_.flush();
  EXPECT_EQ(sent_, (std::vector{first, second}));
  publisher_.flush();
  loop_.advance(50ms);
  const auto third = offer();
  loop_.advance(49ms);
  EXPECT_EQ(sent_.size(), 2U);
  loop_.advance(1ms);
  EXPECT_EQ(sent_, (std::vector{first, second, third}));
}

TEST_F(PublisherTest, SendsNothingAfterStop) {
  const auto first = offer();
  offer();
  publisher_.stop();
  loop_.advance(1h);
  EXPECT_EQ(sent_, std::vector{first});
}

TEST_F(PublisherTest, SendsAtOnceAfterSettleTime) {
  offer();
  loop_.advance(100ms);
  const auto next = offer();
  EXPECT_EQ(sent_.back(), next);
}

}  // namespace
}  // namespace patchbay::daemon
