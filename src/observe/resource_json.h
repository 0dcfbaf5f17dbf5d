#pragma once

#include <cstddef>

#include "base/json_text.h"
#include "base/wall_clock.h"
#include "inventory/resolution.h"
#include "rules/plan.h"

namespace patchbay::observe {

/// A unit, wherever it is told. `reports_nodes`: Snapshot::reports_nodes().
[[nodiscard]] Json unit_json(const inventory::Snapshot& snapshot, const inventory::Unit& unit,
                             bool reports_nodes, const WallClock& clock);

/// Adds what is not offered, with the reasons, at most so many devices.
void add_not_offered(const rules::Plan& plan, size_t index,
                     const inventory::ResolvedResource& resource, size_t most, Json& json);

/// Adds `warnings`, if there are any: units that are of no use as they are configured.
void add_warnings(const inventory::ResolvedResource& resource, Json& json);

/// What became of one resource, which is that of the plan with that index: its units and what is
/// not offered. The same wherever it is told. Strings are as devices and files have them:
/// json_text() makes them harmless. Pure.
[[nodiscard]] Json resource_json(const rules::Plan& plan, size_t index,
                                 const inventory::ResolvedResource& resource,
                                 const WallClock& clock);

}  // namespace patchbay::observe
