#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "inventory/snapshot.h"
#include "status/unit_assignments.h"

namespace patchbay::render {

/// Selects some units of a resource for the output, so that thousands of units need not be sent.
struct UnitSelection {
  static constexpr size_t kAll = std::numeric_limits<size_t>::max();
  size_t limit = kAll;  ///< Maximum number of units.
  size_t offset = 0;    ///< Number of matching units to skip.
  std::string match{};  ///< Words that a unit must contain in any field; case-insensitive.
  /// Unhealthy units come first. If false, the order is that of the snapshot.
  bool unhealthy_first = false;
};

struct SelectedUnits {
  std::vector<size_t> indexes;  ///< Into Snapshot::units.
  size_t matching = 0;          ///< Number of matching units, selected or not.
};

/// Returns the selected units. `match` is also searched in `assignments`, the known assignments of
/// the units.
[[nodiscard]] SelectedUnits select_units(const inventory::Snapshot& snapshot,
                                         const UnitSelection& selection,
                                         const status::AssignmentsByUnit& assignments = {});

}  // namespace patchbay::render
