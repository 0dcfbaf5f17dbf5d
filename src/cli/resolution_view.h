#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "base/wall_clock.h"
#include "cli/table.h"
#include "inventory/inventory.h"
#include "observe/unmatched_group.h"

namespace patchbay::cli {

/// How people are to see it.
struct ResolutionLayout {
  TableLayout table{};
  bool wide = false;  ///< Places in sysfs instead of device nodes.
  /// What to say of when a unit became as it is; empty: nothing.
  std::function<std::string(std::chrono::steady_clock::time_point)> since{};
};

/// What this node offers, for people: a row per unit, then what is not offered and why, what is not
/// for this node, what came nearest to resources that no device matches, and warnings. Strings of
/// devices are made printable.
[[nodiscard]] std::string resolution_table(const inventory::Inventory& inventory,
                                           const std::vector<observe::UnmatchedGroup>& unmatched,
                                           const ResolutionLayout& layout = {});

enum class JsonLayout { indented, one_line };

/// The same for programs. The shape is part of the product (docs/commands.md). Bytes that are not
/// UTF-8 are U+FFFD.
[[nodiscard]] std::string resolution_json(const rules::Plan& plan,
                                          const inventory::Resolution& resolution,
                                          const std::vector<observe::UnmatchedGroup>& unmatched,
                                          JsonLayout layout, const WallClock& clock);

}  // namespace patchbay::cli
