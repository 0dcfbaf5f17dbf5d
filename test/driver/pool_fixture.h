#pragma once

#include <memory>
#include <string>
#include <vector>

#include "driver/claim_fixture.h"
#include "driver/pool.h"
#include "inventory/inventory_fixture.h"

namespace patchbay::driver {

/// A list of a resource. An id with '!' before it is that of an unhealthy unit.
inline inventory::SnapshotPtr list_of(const rules::ResourcePlanPtr& resource,
                                      const std::vector<std::string>& ids) {
  const auto members = std::make_shared<const inventory::UnitMembers>(inventory::UnitMembers{
      .group = 0,
      .by = {},
      .devices = {{.role = 0, .facts = inventory::shared(inventory::named("x")), .captures = {}}}});
  inventory::Snapshot list{.resource = resource, .units = {}};
  for (const std::string& id : ids) {
    const bool healthy = id.front() != '!';
    inventory::Unit unit;
    unit.id = healthy ? id : id.substr(1);
    unit.healthy = healthy;
    unit.reason = healthy ? "" : "unplugged";
    unit.members = members;
    list.units.push_back(std::move(unit));
  }
  return std::make_shared<const inventory::Snapshot>(std::move(list));
}

/// A DRA device of a ResourceClaim. Its attributes differ from those of the unit.
inline RecordedDevice recorded(const rules::ResourcePlanPtr& resource, const std::string& unit) {
  RecordedDevice device = disk("x", unit);
  device.resource = resource->name;
  device.published = published_device(*resource, list_of(resource, {unit})->units.front());
  device.published["attributes"]["id"]["string"] = unit + "*";
  return device;
}

/// The ids of the devices of a pool, with '|' between slices.
inline std::string text_of(const PoolSlices& slices) {
  std::string text;
  for (const Json& slice : slices) {
    if (&slice != &slices.front()) text += "| ";
    for (const Json& device : slice) {
      text += device["attributes"]["id"]["string"].get<std::string>() + " ";
    }
  }
  return text;
}

}  // namespace patchbay::driver
