#pragma once

#include <cstddef>

#include "base/json_text.h"
#include "base/wall_clock.h"
#include "inventory/resolution.h"
#include "rules/plan/plan_fwd.h"

namespace patchbay::render {

/// Returns the JSON of a unit. All outputs use the same form. `reports_nodes` is the result of
/// Snapshot::reports_nodes().
[[nodiscard]] Json unit_json(const inventory::Snapshot& snapshot, const inventory::Unit& unit,
                             bool reports_nodes, const WallClock& clock);

/// Adds the refused devices with the reasons, at most `most` of them. Also adds the degraded rules
/// and the unresponsive paths. `index` is the index of the resource in the plan.
void add_not_offered(const rules::Plan& plan, size_t index,
                     const inventory::ResolvedResource& resource, size_t most, Json& json);

/// Adds the key `warnings` for units that are useless as they are configured, and for attributes
/// that DRA devices lack, if there are any.
void add_warnings(const inventory::ResolvedResource& resource, Json& json);

/// Returns the JSON of one resource: its units, and the devices that are not offered. `index` is
/// the index of the resource in the plan. Strings are as read from devices and files; json_text()
/// escapes them. Pure.
[[nodiscard]] Json resource_json(const rules::Plan& plan, size_t index,
                                 const inventory::ResolvedResource& resource,
                                 const WallClock& clock);

}  // namespace patchbay::render
