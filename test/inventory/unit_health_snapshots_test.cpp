#include <map>

#include "inventory/inventory_fixture.h"

namespace patchbay::inventory {
namespace {

const std::string kRatedSerials =
    "  - name: a.io/serial\n    linger: 5m\n    match: {subsystem: tty}\n"
    "    id: $(property.SERIAL)\n";

class UnitHealthSnapshotsTest : public testing::Test {
 protected:
  UnitHealthSnapshotsTest() : inventory_(plan_of(kRatedSerials)) {
    inventory_.apply(shared(serial("ttyUSB0", "A")));
    inventory_.apply(shared(serial("ttyUSB1", "B")));
    resolve(kStart);
  }
  /// Makes the snapshots. A unit with a text in `reasons_` is unhealthy for that reason.
  const Resolution& resolve(Inventory::Time now) {
    Healths healths(1);
    rated_.clear();
    for (const MadeUnitPtr& unit : *inventory_.offer().at(0)) {
      rated_.push_back(unit->id);
      const auto bad = reasons_.find(unit->id);
      healths[0].push_back(bad == reasons_.end() ? Health{} : Health{false, bad->second});
    }
    return inventory_.make_snapshots(now, healths);
  }
  const Unit& unit(const std::string& id) {
    return *inventory_.last().resources.at(0).snapshot->find(id);
  }

  std::map<std::string, std::string> reasons_;
  Strings rated_;
  Inventory inventory_;
};

TEST_F(UnitHealthSnapshotsTest, UsesReportedHealth) {
  reasons_["B"] = "no answer";
  EXPECT_EQ(units(resolve(kStart + seconds(1))), (Strings{"A", "B: no answer"}));
  EXPECT_EQ(unit("A").since, kStart);
  EXPECT_EQ(unit("B").since, kStart + seconds(1));
  const auto before = inventory_.last().resources.at(0).snapshot;
  EXPECT_EQ(resolve(kStart + seconds(2)).resources.at(0).snapshot, before);
  reasons_.clear();
  EXPECT_EQ(units(resolve(kStart + seconds(3))), (Strings{"A", "B"}));
  EXPECT_EQ(unit("B").since, kStart + seconds(3));
  EXPECT_EQ(unit("B").last_reason, "no answer");
  EXPECT_EQ(unit("A").last_reason, "");
}

TEST_F(UnitHealthSnapshotsTest, SinceIsTimeOfHealthChange) {
  reasons_["A"] = "no answer";
  resolve(kStart + seconds(1));
  reasons_["A"] = "no such path";
  EXPECT_EQ(units(resolve(kStart + seconds(2))), (Strings{"A: no such path", "B"}));
  EXPECT_EQ(unit("A").since, kStart + seconds(1));
}

TEST_F(UnitHealthSnapshotsTest, LostUnitsAreNotEvaluated) {
  reasons_["A"] = "no answer";
  resolve(kStart + seconds(1));
  inventory_.remove("/sys/devices/usb/ttyUSB0");
  EXPECT_EQ(units(resolve(kStart + seconds(2))), (Strings{"A: the device is gone", "B"}));
  EXPECT_EQ(rated_, Strings{"B"});
  EXPECT_EQ(unit("A").since, kStart + seconds(1));
  reasons_.clear();
  inventory_.apply(shared(serial("ttyUSB7", "A")));
  resolve(kStart + seconds(3));
  EXPECT_EQ(unit("A").last_reason, "the device is gone");
}

TEST_F(UnitHealthSnapshotsTest, NextInventoryKeepsSinceAndLastReason) {
  reasons_["A"] = "no answer";
  resolve(kStart + seconds(1));
  reasons_.clear();
  resolve(kStart + seconds(2));
  Inventory next(plan_of(kRatedSerials));
  next.inherit(inventory_);
  next.apply(shared(serial("ttyUSB0", "A")));
  const Unit after = *next.resolve(kStart + seconds(9)).resources.at(0).snapshot->find("A");
  EXPECT_EQ(after.since, kStart + seconds(2));
  EXPECT_EQ(after.last_reason, "no answer");
}

}  // namespace
}  // namespace patchbay::inventory
