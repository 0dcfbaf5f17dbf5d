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
using Giving = std::vector<bool>;

/// A unit of one device with this name.
inventory::Unit unit_of(const std::string& device, bool lost = false) {
  auto facts = std::make_shared<DeviceFacts>();
  facts->key = device;
  inventory::UnitMembers members;
  members.devices.push_back({.role = 0, .facts = std::move(facts), .captures = {}});
  inventory::Unit unit;
  unit.id = device;
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

TEST(SourcesFirst, FindsResourceThatLosesDevice) {
  const std::vector<ListUpdate> updates = {
      {.last_sent = offer_of({"a"}), .now = offer_of({"a", "b"})},
      {.last_sent = offer_of({"b", "c"}), .now = offer_of({"c"})}};
  EXPECT_EQ(sources_first(updates), (Giving{false, true}));
}

TEST(SourcesFirst, FindsResourceThatListsDeviceAsLost) {
  const std::vector<ListUpdate> updates = {
      {.last_sent = offer_of({"a"}), .now = offer_of({}, {"a"})},
      {.last_sent = nullptr, .now = offer_of({"a"})}};
  EXPECT_EQ(sources_first(updates), (Giving{true, false}));
}

TEST(SourcesFirst, FindsBothResourcesThatSwapDevices) {
  const std::vector<ListUpdate> updates = {{.last_sent = offer_of({"a"}), .now = offer_of({"b"})},
                                           {.last_sent = offer_of({"b"}), .now = offer_of({"a"})}};
  EXPECT_EQ(sources_first(updates), (Giving{true, true}));
}

TEST(SourcesFirst, IgnoresRemovedOrRecreatedDevices) {
  const std::vector<ListUpdate> updates = {
      {.last_sent = offer_of({"a", "b"}), .now = offer_of({"a"})},
      {.last_sent = offer_of({"c"}), .now = offer_of({"c", "d"})}};
  EXPECT_EQ(sources_first(updates), (Giving{false, false}));
}

}  // namespace
}  // namespace patchbay::daemon
