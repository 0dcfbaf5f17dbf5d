#include "driver/pool.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "dra/device_name.h"
#include "driver/pool_fixture.h"
#include "fake/manual_loop.h"

namespace patchbay::driver {
namespace {

using inventory::Strings;
using testing::ElementsAre;
using testing::IsEmpty;
using std::chrono_literals::operator""ms;

constexpr const char* kX = "x.io/x";
constexpr const char* kA = "a.io/a";

/// A pool of the resources x.io/x and a.io/a, in this order.
class PoolTest : public testing::Test {
 protected:
  PoolTest() { pool_.set_plan(plan_); }

  [[nodiscard]] const rules::ResourcePlanPtr& resource(const std::string& name) const {
    return plan_->resources.at(name == kX ? 0 : 1);
  }
  void set(const std::string& name, const Strings& ids) { pool_.set(list_of(resource(name), ids)); }
  /// A ResourceClaim has this unit from now on.
  void prepare(const std::string& name, const std::string& unit) {
    prepared_.push_back(recorded(resource(name), unit));
    pool_.claims_changed();
  }
  void unprepare() {
    prepared_.clear();
    pool_.claims_changed();
  }
  /// The publications since the last call.
  Strings publications() {
    loop_.advance(0ms);
    Strings texts;
    for (const PoolSlices& slices : std::exchange(new_, {})) texts.push_back(text_of(slices));
    return texts;
  }
  /// The number of units of the acknowledged list; -1: there is none.
  [[nodiscard]] int acknowledged(const std::string& name) const {
    const auto list = pool_.acknowledged(name);
    return list ? static_cast<int>(list->units.size()) : -1;
  }
  /// Spends all publications without delay.
  void spend_burst() {
    for (size_t i = 0; i < Pool::kBurst; ++i) {
      set(kX, {"x" + std::to_string(i)});
      EXPECT_EQ(publications().size(), 1U);
    }
  }

  fake::ManualLoop loop_;
  rules::PlanPtr plan_ = inventory::plan_of(
      "  - name: x.io/x\n    match: {static: [x]}\n  - name: a.io/a\n    match: {static: [a]}\n");
  std::vector<RecordedDevice> prepared_;
  std::vector<PoolSlices> new_;
  int64_t number_ = 0;
  int acknowledgements_ = 0;
  Pool pool_{loop_,
             {.publish =
                  [this](PoolSlices slices) {
                    new_.push_back(std::move(slices));
                    return ++number_;
                  },
              .acknowledged = [this] { ++acknowledgements_; },
              .prepared =
                  [this] {
                    std::vector<const RecordedDevice*> devices;
                    for (const RecordedDevice& device : prepared_) devices.push_back(&device);
                    return devices;
                  }}};
};

TEST_F(PoolTest, OrderIsThatOfTheConfigurationThenOfIds) {
  set(kA, {"a1"});
  set(kX, {"x2", "x10"});
  EXPECT_THAT(publications(), ElementsAre("x2 x10 a1 "));
}

TEST_F(PoolTest, WithoutUnits_IsOneEmptySlice) {
  loop_.advance(0ms);
  EXPECT_THAT(new_, ElementsAre(PoolSlices{Json::array()}));
}

TEST_F(PoolTest, SliceHasAtMost64Devices) {
  Strings ids;
  for (int i = 0; i < 129; ++i) ids.push_back("x" + std::to_string(i));
  set(kX, ids);
  loop_.advance(0ms);
  ASSERT_EQ(new_.size(), 1U);
  ASSERT_EQ(new_[0].size(), 3U);
  EXPECT_EQ(new_[0][0].size(), 64U);
  EXPECT_EQ(new_[0][1].size(), 64U);
  EXPECT_EQ(new_[0][2].size(), 1U);
}

TEST_F(PoolTest, UnhealthyUnit_IsPublishedAsRecordedWhileAResourceClaimHasIt) {
  set(kX, {"x1", "x2", "x3"});
  prepare(kX, "x2");
  EXPECT_THAT(publications(), ElementsAre("x1 x2 x3 "));
  set(kX, {"!x1", "!x2", "x3"});
  EXPECT_THAT(publications(), ElementsAre("x2* x3 "));
  unprepare();
  EXPECT_THAT(publications(), ElementsAre("x3 "));
}

TEST_F(PoolTest, LostUnitOfAResourceClaim_KeepsItsPositionAfterLinger) {
  set(kX, {"x1", "!x2", "x3"});
  set(kA, {"a1"});
  prepare(kX, "x2");
  EXPECT_THAT(publications(), ElementsAre("x1 x2* x3 a1 "));
  set(kX, {"x1", "x3"});
  EXPECT_THAT(publications(), IsEmpty());
  set(kX, {"x1", "x2", "x3"});
  EXPECT_THAT(publications(), ElementsAre("x1 x2 x3 a1 "));
}

/// The records are known before the lists.
TEST_F(PoolTest, UnitOfAResourceClaim_NeedsNoList) {
  prepare(kX, "x1");
  EXPECT_THAT(publications(), ElementsAre("x1* "));
}

TEST_F(PoolTest, UnitOfAFormerResource_IsAfterTheOthers) {
  const rules::PlanPtr former =
      inventory::plan_of("  - name: a.io/former\n    match: {static: [f]}\n");
  prepared_.push_back(recorded(former->resources.at(0), "f1"));
  set(kX, {"x1"});
  EXPECT_THAT(publications(), ElementsAre("x1 f1* "));
}

TEST_F(PoolTest, NameIsPublishedOnce) {
  prepare(kX, "x2");
  prepared_[0].published["name"] = dra::device_name(kX, "x1");
  set(kX, {"x1", "!x2"});
  EXPECT_THAT(publications(), ElementsAre("x1 "));
}

TEST_F(PoolTest, NewPlanChangesTheOrder) {
  set(kX, {"x1"});
  set(kA, {"a1"});
  EXPECT_THAT(publications(), ElementsAre("x1 a1 "));
  auto reversed = std::make_shared<rules::Plan>();
  reversed->resources = {resource(kA), resource(kX)};
  pool_.set_plan(reversed);
  EXPECT_THAT(publications(), ElementsAre("a1 x1 "));
}

// The rate.

TEST_F(PoolTest, ChangesOfOneIterationAreOnePublication) {
  set(kX, {"x1"});
  set(kX, {"x1", "x2"});
  set(kA, {"a1"});
  prepare(kA, "a2");
  EXPECT_THAT(publications(), ElementsAre("x1 x2 a1 a2* "));
}

TEST_F(PoolTest, AfterTheBurst_OnePublicationPerPeriodHasAllChanges) {
  set(kX, {});
  publications();
  spend_burst();
  set(kX, {"x7"});
  set(kX, {"x8"});
  EXPECT_THAT(publications(), IsEmpty());
  loop_.advance(Pool::kPeriod - 1ms);
  set(kX, {"x9"});
  EXPECT_THAT(publications(), IsEmpty());
  loop_.advance(1ms);
  EXPECT_THAT(publications(), ElementsAre("x9 "));
  set(kX, {"x10"});
  EXPECT_THAT(publications(), IsEmpty());
  loop_.advance(Pool::kPeriod);
  EXPECT_THAT(publications(), ElementsAre("x10 "));
}

TEST_F(PoolTest, BurstIsAvailableAgainAfterAPause) {
  set(kX, {});
  publications();
  spend_burst();
  loop_.advance(Pool::kBurst * Pool::kPeriod);
  EXPECT_EQ(loop_.until_next_timer(), std::nullopt) << "wakes up without need";
  spend_burst();
  set(kX, {});
  EXPECT_THAT(publications(), IsEmpty());
}

TEST_F(PoolTest, FirstListOfAResource_IsNotDelayed) {
  set(kX, {});
  publications();
  spend_burst();
  set(kX, {"x7"});
  set(kA, {"a1"});
  EXPECT_THAT(publications(), ElementsAre("x7 a1 "));
}

/// Such a list is no publication.
TEST_F(PoolTest, EmptyFirstList_DoesNotMakeALaterChangeFree) {
  set(kX, {});
  publications();
  spend_burst();
  set(kA, {});
  EXPECT_THAT(publications(), IsEmpty());
  set(kX, {"x7"});
  EXPECT_THAT(publications(), IsEmpty());
}

TEST_F(PoolTest, ChangeThatIsReverted_IsNoPublication) {
  set(kX, {});
  publications();
  spend_burst();
  set(kX, {"x9"});
  set(kX, {"x4"});
  loop_.advance(Pool::kPeriod);
  EXPECT_THAT(publications(), IsEmpty());
}

// Acknowledgements.

TEST_F(PoolTest, ListIsAcknowledgedWhenItIsStored) {
  set(kX, {"x1"});
  publications();
  set(kX, {"x1", "x2"});
  publications();
  EXPECT_EQ(acknowledged(kX), -1);
  pool_.stored(1);
  EXPECT_EQ(acknowledged(kX), 1);
  pool_.stored(2);
  EXPECT_EQ(acknowledged(kX), 2);
  pool_.stored(1);  // Late, from before a restart of the API client.
  EXPECT_EQ(acknowledged(kX), 2);
  EXPECT_EQ(acknowledgements_, 2);
}

TEST_F(PoolTest, ListWithTheSameDevices_IsAcknowledgedWithTheRunningWrite) {
  set(kX, {"x1"});
  publications();
  set(kX, {"x1", "!x2"});
  EXPECT_THAT(publications(), IsEmpty());
  EXPECT_EQ(acknowledged(kX), -1);
  pool_.stored(1);
  EXPECT_EQ(acknowledged(kX), 2);
}

TEST_F(PoolTest, ListWithTheStoredDevices_IsAcknowledgedAtOnce) {
  set(kX, {"x1"});
  publications();
  pool_.stored(1);
  set(kX, {"x1", "!x2"});
  EXPECT_THAT(publications(), IsEmpty());
  EXPECT_EQ(acknowledged(kX), 2);
}

TEST_F(PoolTest, RemovedResource_IsReportedWhenThePoolWithoutItIsStored) {
  set(kX, {"x1"});
  set(kA, {"a1"});
  publications();
  pool_.stored(1);
  bool removed = false;
  pool_.remove(kX, [&] { removed = true; });
  EXPECT_THAT(publications(), ElementsAre("a1 "));
  EXPECT_FALSE(removed);
  EXPECT_EQ(acknowledged(kX), 1);
  pool_.stored(2);
  EXPECT_TRUE(removed);
  EXPECT_EQ(acknowledged(kX), -1);
}

/// The offer of the resource may be destroyed in the callback.
TEST_F(PoolTest, RemovedResourceWithoutAList_IsReportedLater) {
  bool removed = false;
  pool_.remove(kX, [&] { removed = true; });
  EXPECT_FALSE(removed);
  loop_.run_ready();
  EXPECT_TRUE(removed);
}

TEST_F(PoolTest, FindsUnitsByTheNameOfTheirDevice) {
  set(kX, {"x1", "!x2"});
  for (const char* id : {"x1", "x2"}) {
    const auto found = pool_.find(dra::device_name(kX, id));
    ASSERT_TRUE(found) << id;
    EXPECT_EQ(found->unit->id, id);
    EXPECT_EQ(found->snapshot->resource->name, kX);
  }
  EXPECT_FALSE(pool_.find(dra::device_name(kX, "x3")));
}

}  // namespace
}  // namespace patchbay::driver
