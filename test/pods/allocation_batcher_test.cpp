#include "pods/allocation_batcher.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fake/manual_loop.h"

namespace patchbay::pods {
namespace {

class AllocationBatcherTest : public ::testing::Test {
 protected:
  void add(const std::string& device) {
    notes_.add({.resource = "a.io/x", .devices = {device}, .at = loop_.now()});
  }

  fake::ManualLoop loop_;
  std::vector<std::string> delivered_;
  AllocationBatcher notes_{loop_, [this](const AllocationBatcher::Allocation& note) {
                             delivered_.insert(delivered_.end(), note.devices.begin(),
                                               note.devices.end());
                           }};
};

using Devices = std::vector<std::string>;

TEST_F(AllocationBatcherTest, DeliversFirstAllocationAtOnce) {
  add("a");
  loop_.run_ready();
  EXPECT_EQ(delivered_, Devices{"a"});
}

TEST_F(AllocationBatcherTest, DeliversFollowingAllocationsTogether) {
  add("a");
  loop_.run_ready();
  add("b");
  add("c");
  loop_.run_ready();
  EXPECT_EQ(delivered_, Devices{"a"});
  loop_.advance(AllocationBatcher::kBatchTime);
  EXPECT_EQ(delivered_, (Devices{"a", "b", "c"}));
  add("d");
  loop_.run_ready();
  EXPECT_EQ(delivered_.size(), 3U);
  loop_.advance(AllocationBatcher::kBatchTime);
  EXPECT_EQ(delivered_.back(), "d");
}

TEST_F(AllocationBatcherTest, DeliversFirstAllocationAfterPauseAtOnce) {
  add("a");
  loop_.run_ready();
  loop_.advance(AllocationBatcher::kBatchTime);
  add("b");
  loop_.run_ready();
  EXPECT_EQ(delivered_, (Devices{"a", "b"}));
}

TEST_F(AllocationBatcherTest, DeliversFullBatchAtOnce) {
  add("a");
  loop_.run_ready();
  for (size_t i = 1; i < AllocationBatcher::kMaxBatched; ++i) add("b");
  loop_.run_ready();
  EXPECT_EQ(delivered_.size(), 1U);
  add("c");
  loop_.run_ready();
  EXPECT_EQ(delivered_.size(), AllocationBatcher::kMaxBatched + 1);
}

TEST_F(AllocationBatcherTest, DeliversBatchOnRequest) {
  add("a");
  loop_.run_ready();
  add("b");
  notes_.deliver_now();
  EXPECT_EQ(delivered_, (Devices{"a", "b"}));
}

TEST(AllocationBatcher, DestructorDropsTheBatch) {
  fake::ManualLoop loop;
  bool told = false;
  {
    AllocationBatcher notes(loop, [&told](const auto& /*note*/) { told = true; });
    notes.add({.resource = "a.io/x", .devices = {"a"}, .at = loop.now()});
  }
  loop.run_ready();
  EXPECT_FALSE(told);
}

}  // namespace
}  // namespace patchbay::pods
