#pragma once

#include <cstddef>

#include "base/json_text.h"
#include "base/wall_clock.h"
#include "inventory/resolution.h"
#include "rules/plan/plan_fwd.h"

namespace patchbay::render {

/// A unit in any output. `reports_nodes`: Snapshot::reports_nodes().
[[nodiscard]] Json unit_json(const inventory::Snapshot& snapshot, const inventory::Unit& unit,
                             bool reports_nodes, const WallClock& clock);

/// Adds the devices that are not offered, with the reasons, up to a maximum number of devices.
void add_not_offered(const rules::Plan& plan, size_t index,
                     const inventory::ResolvedResource& resource, size_t most, Json& json);

/// Adds `warnings` if there are any: units that are useless as they are configured.
void add_warnings(const inventory::ResolvedResource& resource, Json& json);

/// The JSON of one resource in any output: its units and the devices that are not offered. `index`
/// is its index in the plan. Strings come unchanged from devices and files; json_text() escapes
/// them. Pure.
[[nodiscard]] Json resource_json(const rules::Plan& plan, size_t index,
                                 const inventory::ResolvedResource& resource,
                                 const WallClock& clock);

}  // namespace patchbay::render
