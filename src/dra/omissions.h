#pragma once

#include <vector>

#include "inventory/snapshot.h"
#include "inventory/unit_warnings.h"

namespace patchbay::dra {

/// Returns a warning for each attribute that units of the resource are published without (see
/// MadeDevice::omitted), by name. None for a resource of the device plugin. Pure; any thread.
[[nodiscard]] std::vector<inventory::UnitWarning> omission_warnings(
    const inventory::Snapshot& snapshot);

}  // namespace patchbay::dra
