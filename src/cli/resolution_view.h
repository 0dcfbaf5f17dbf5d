#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/nothing_found.h"
#include "cli/wall_clock.h"
#include "inventory/inventory.h"

namespace patchbay::cli {

/// What this node offers, for people: a row per unit, then what is not offered and why, what is not
/// for this node, what came nearest to resources that no device matches, and warnings. Strings of
/// devices are made printable. With a clock there is also since when each unit is as it is.
[[nodiscard]] std::string resolution_table(const rules::Plan& plan,
                                           const inventory::Resolution& resolution,
                                           const std::vector<NothingFound>& nothing,
                                           const std::optional<WallClock>& clock = {});

enum class JsonLayout { indented, one_line };

/// The same for programs. The shape is part of the product (docs/commands.md). Bytes that are not
/// UTF-8 are U+FFFD.
[[nodiscard]] std::string resolution_json(const rules::Plan& plan,
                                          const inventory::Resolution& resolution,
                                          const std::vector<NothingFound>& nothing,
                                          JsonLayout layout, const WallClock& clock);

}  // namespace patchbay::cli
