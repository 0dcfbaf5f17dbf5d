#pragma once

#include <span>
#include <vector>

#include "base/json_text.h"
#include "base/result.h"
#include "driver/claim_record.h"
#include "inventory/allocate.h"
#include "inventory/snapshot.h"
#include "rules/plan/plan_fwd.h"

/// Renders the data that containers get from the units of a ResourceClaim.
namespace patchbay::driver {

/// The unit of a RecordedDevice. Never null.
struct ClaimUnit {
  inventory::SnapshotPtr snapshot;
  const inventory::Unit* unit = nullptr;  ///< One of the snapshot's units.
};

/// Finds the units of the record's devices, in their order, by resource and id. Fails if one is
/// missing, or unhealthy without administrative access. The error is for the Pod's event. Pure; any
/// thread.
[[nodiscard]] Result<std::vector<ClaimUnit>> find_claim_units(
    const ClaimRecord& record, const std::vector<inventory::SnapshotPtr>& snapshots);

/// Renders the DRA devices, nodes, mounts, CDI names, variables, steps and keys of the record
/// again. `units` are in the order of its devices. `$(slot)` counts over the units of one resource
/// in the ResourceClaim. Administrative access has no steps and no keys. A prepared ResourceClaim
/// keeps its release timeout and, while a device has the same keys, the device's release steps: an
/// edit does not change them. On an error the record is unchanged. Pure except for `path_exists`;
/// any thread.
[[nodiscard]] Result<void> render_claim(ClaimRecord& record, std::span<const ClaimUnit> units,
                                        const inventory::PathExists& path_exists);

/// Returns the DRA device of a unit, as the slices have it. Pure; any thread.
[[nodiscard]] Json published_device(const rules::ResourcePlan& resource,
                                    const inventory::Unit& unit);

}  // namespace patchbay::driver
