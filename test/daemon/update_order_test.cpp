#include "daemon/update_order.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.h"
#include "inventory/unit_checks.h"
#include "model/facts.h"

namespace patchbay::daemon {
namespace {

using inventory::SnapshotPtr;

/// A unit with one device. `name` is "ID=KEY", or one text for both the unit's id and the device's
/// key.
inventory::Unit unit_of(const std::string& name, bool lost = false) {
  auto facts = std::make_shared<DeviceFacts>();
  facts->key = name.substr(name.find('=') + 1);
  inventory::UnitMembers members;
  members.devices.push_back({.role = 0, .facts = std::move(facts), .captures = {}});
  inventory::Unit unit;
  unit.id = name.substr(0, name.find('='));
  unit.members = std::make_shared<const inventory::UnitMembers>(std::move(members));
  if (!lost) unit.checks = std::make_shared<const inventory::UnitChecks>();
  return unit;
}

SnapshotPtr offer_of(const std::vector<std::string>& devices,
                     const std::vector<std::string>& lost = {}) {
  std::vector<inventory::UnitPtr> units;
  const auto add = [&](const std::vector<std::string>& names, bool are_lost) {
    for (const std::string& device : names) {
      units.push_back(std::make_shared<const inventory::Unit>(unit_of(device, are_lost)));
    }
  };
  add(devices, false);
  add(lost, true);
  std::ranges::sort(units, natural_less, [](const auto& unit) { return unit->id; });
  return std::make_shared<const inventory::Snapshot>(
      inventory::Snapshot{.resource = nullptr, .units = inventory::UnitList(std::move(units))});
}

/// The lists to send, in brackets: "first" for a list that must be sent first, then its units.
std::string text_of(const std::vector<ListUpdate>& updates) {
  std::string text;
  for (const NextList& next : next_lists(updates)) {
    text += next.at_once ? "[first" : "[";
    if (next.list) {
      for (const inventory::Unit& unit : next.list->units) text += " " + unit.id;
    }
    text += "]";
  }
  return text;
}

TEST(NextLists, DeviceMovesAfterItsReleaseIsAcknowledged) {
  const auto loses = offer_of({"c"});
  const auto gains = offer_of({"a", "b"});
  EXPECT_EQ(text_of({{.acknowledged = offer_of({"a"}), .now = gains},
                     {.acknowledged = offer_of({"b", "c"}), .now = loses}}),
            "[ a][first c]");
  EXPECT_EQ(text_of({{.acknowledged = offer_of({"a"}), .now = gains},
                     {.acknowledged = loses, .now = loses}}),
            "[ a b][ c]");
}

TEST(NextLists, ListWithoutWithheldUnitIsIncomplete) {
  const auto now = offer_of({"a"});
  const auto next =
      next_lists(std::vector<ListUpdate>{{.acknowledged = nullptr, .now = now},
                                         {.acknowledged = offer_of({"a"}), .now = offer_of({})}});
  EXPECT_FALSE(next.at(0).list->complete) << "files of the withheld unit stay";
  EXPECT_TRUE(now->complete);
}

TEST(NextLists, ListWithLostUnitReleasesDevice) {
  EXPECT_EQ(text_of({{.acknowledged = offer_of({"a"}), .now = offer_of({}, {"a"})},
                     {.acknowledged = nullptr, .now = offer_of({"a"})}}),
            "[first a][]");
}

TEST(NextLists, WithdrawnResourceReleasesItsDevices) {
  EXPECT_EQ(text_of({{.acknowledged = nullptr, .now = offer_of({"a", "b"})},
                     {.acknowledged = offer_of({"a"}), .now = nullptr}}),
            "[ b][first]");
}

TEST(NextLists, ResourcesThatSwapDevicesBothReleaseFirst) {
  EXPECT_EQ(text_of({{.acknowledged = offer_of({"a"}), .now = offer_of({"b"})},
                     {.acknowledged = offer_of({"b"}), .now = offer_of({"a"})}}),
            "[first][first]");
}

TEST(NextLists, SharedDeviceIsNotWithheld) {
  EXPECT_EQ(text_of({{.acknowledged = offer_of({"a"}), .now = offer_of({"a", "b"})},
                     {.acknowledged = offer_of({"a"}), .now = offer_of({})}}),
            "[ a b][]");
  EXPECT_EQ(text_of({{.acknowledged = offer_of({"a"}), .now = offer_of({"a"})},
                     {.acknowledged = nullptr, .now = offer_of({"a"})}}),
            "[ a][ a]");
}

TEST(NextLists, DeviceMovesBetweenUnitsOfOneResourceAtOnce) {
  EXPECT_EQ(text_of({{.acknowledged = offer_of({"a"}), .now = offer_of({"b=a"})},
                     {.acknowledged = nullptr, .now = offer_of({"c"})}}),
            "[ b][ c]");
}

TEST(NextLists, LostUnitWaitsForNoRelease) {
  EXPECT_EQ(text_of({{.acknowledged = nullptr, .now = offer_of({}, {"a"})},
                     {.acknowledged = offer_of({"a"}), .now = offer_of({})}}),
            "[ a][]");
}

TEST(NextLists, RemovedAndNewDevicesDelayNoList) {
  EXPECT_EQ(text_of({{.acknowledged = offer_of({"a", "b"}), .now = offer_of({"a"})},
                     {.acknowledged = offer_of({"c"}), .now = offer_of({"c", "d"})}}),
            "[ a][ c d]");
}

}  // namespace
}  // namespace patchbay::daemon
