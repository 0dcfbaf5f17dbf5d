#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "inventory/snapshot.h"
#include "observe/unit_assignments.h"

namespace patchbay::observe {

/// Which units of a resource somebody wants to see. Who shows thousands asks for what is shown.
struct UnitSelection {
  static constexpr size_t kAll = std::numeric_limits<size_t>::max();
  size_t limit = kAll;           ///< At most so many.
  size_t offset = 0;             ///< So many of those that match come before.
  std::string match{};           ///< Words, each of which a unit must hold somewhere, in any case.
  bool unhealthy_first = false;  ///< Else all in the order of the list.
};

struct SelectedUnits {
  std::vector<size_t> indexes;  ///< Into Snapshot::units.
  size_t matching = 0;          ///< How many match, shown or not.
};

/// `assignments`: of the units, as far as is known; they are found by them, too.
[[nodiscard]] SelectedUnits select_units(const inventory::Snapshot& snapshot,
                                         const UnitSelection& selection,
                                         const AssignmentsByUnit& assignments = {});

}  // namespace patchbay::observe
