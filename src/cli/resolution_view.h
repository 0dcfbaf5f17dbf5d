#pragma once

#include <optional>
#include <string>

#include "cli/wall_clock.h"
#include "inventory/inventory.h"

namespace patchbay::cli {

/// What this node offers, for people: a row per unit, then what is not offered and why, what is not
/// for this node, and warnings. Strings of devices are made printable.
[[nodiscard]] std::string resolution_table(const rules::Plan& plan,
                                           const inventory::Resolution& resolution);

/// The same for programs. The shape is part of the product (docs/commands.md). Bytes that are not
/// UTF-8 are U+FFFD. `indent` -1: one line. With a clock each unit also has "since", when it became
/// healthy or unhealthy, and "lastReason", why it was unhealthy when it last was.
[[nodiscard]] std::string resolution_json(const rules::Plan& plan,
                                          const inventory::Resolution& resolution, int indent,
                                          const std::optional<WallClock>& clock = {});

}  // namespace patchbay::cli
