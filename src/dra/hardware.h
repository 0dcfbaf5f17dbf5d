#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "inventory/snapshot.h"

namespace patchbay::dra {

/// Returns the names and texts of the attributes that the first matched device of a unit has from
/// its USB device or PCI function. Absent values are left out. The texts are untrusted. The PCI
/// function above a USB device is its host controller, so a unit with USB attributes has of PCI
/// only the root. Pure; any thread.
[[nodiscard]] std::vector<std::pair<std::string_view, std::string>> hardware_attributes(
    const inventory::UnitMembers& members);

}  // namespace patchbay::dra
