#include "render/unit_selection.h"

#include <gmock/gmock.h>

#include "status/status_fixture.h"

namespace patchbay::render {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class UnitSelectionTest : public ::testing::Test {
 protected:
  UnitSelectionTest() {
    for (const char* name : {"ttyUSB0", "ttyUSB1", "ttyACM0", "ttyS1"}) {
      inventory_.apply(inventory::shared(inventory::serial(name, "")));
    }
    snapshot_ = inventory_.resolve(status::kNow).resources[0].snapshot;
  }

  std::vector<std::string> ids(const UnitSelection& selection) {
    const SelectedUnits selected = select_units(*snapshot_, selection);
    matching_ = selected.matching;
    std::vector<std::string> ids;
    for (const size_t index : selected.indexes) ids.push_back(snapshot_->units[index].id);
    return ids;
  }

  inventory::Inventory inventory_{
      inventory::plan_of("  - {name: a.io/tty, match: {subsystem: tty}, id: $(name)}\n")};
  inventory::SnapshotPtr snapshot_;
  size_t matching_ = 0;
};

TEST_F(UnitSelectionTest, SelectsAllByDefault) {
  EXPECT_THAT(ids({}), ElementsAre("ttyACM0", "ttyS1", "ttyUSB0", "ttyUSB1"));
  EXPECT_EQ(matching_, 4);
}

TEST_F(UnitSelectionTest, SelectsRangeAndCountsMatches) {
  EXPECT_THAT(ids({.limit = 2, .offset = 1}), ElementsAre("ttyS1", "ttyUSB0"));
  EXPECT_EQ(matching_, 4);
  EXPECT_THAT(ids({.offset = 9}), IsEmpty());
}

TEST_F(UnitSelectionTest, MatchesEachWordIgnoringCase) {
  EXPECT_THAT(ids({.match = "/usb/ 1"}), ElementsAre("ttyS1", "ttyUSB1"));
  EXPECT_THAT(ids({.match = "ttyusb"}), ElementsAre("ttyUSB0", "ttyUSB1"));
  EXPECT_THAT(ids({.limit = 1, .match = "  TTYUSB  Healthy "}), ElementsAre("ttyUSB0"));
  EXPECT_EQ(matching_, 2);
  EXPECT_THAT(ids({.match = "unhealthy"}), IsEmpty());
}

TEST_F(UnitSelectionTest, SortsUnhealthyUnitsFirst) {
  std::vector<inventory::UnitPtr> units;
  for (const inventory::Unit& unit : snapshot_->units) {
    auto copy = std::make_shared<inventory::Unit>(unit);
    copy->healthy = unit.id != "ttyS1" && unit.id != "ttyUSB1";
    units.push_back(std::move(copy));
  }
  auto snapshot = std::make_shared<inventory::Snapshot>(*snapshot_);
  snapshot->units = inventory::UnitList(std::move(units));
  snapshot_ = std::move(snapshot);
  EXPECT_THAT(ids({.unhealthy_first = true}),
              ElementsAre("ttyS1", "ttyUSB1", "ttyACM0", "ttyUSB0"));
  EXPECT_THAT(ids({.limit = 2, .offset = 1, .unhealthy_first = true}),
              ElementsAre("ttyUSB1", "ttyACM0"));
  EXPECT_EQ(matching_, 4);
  EXPECT_THAT(ids({.limit = 1}), ElementsAre("ttyACM0"));
}

TEST_F(UnitSelectionTest, MatchesContainerNames) {
  status::AssignmentsByUnit assignments;
  assignments["ttyS1"].assignments = {{.container = std::make_shared<status::Container>(
                                           status::Container{"lab", "camera-0", "main"}),
                                       .since = status::kNow}};
  EXPECT_THAT(select_units(*snapshot_, {.match = "LAB camera"}, assignments).indexes,
              ElementsAre(1));
  EXPECT_THAT(select_units(*snapshot_, {.match = "camera"}).indexes, IsEmpty());
}

}  // namespace
}  // namespace patchbay::render
