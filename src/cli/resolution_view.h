#pragma once

#include <string>

#include "inventory/inventory.h"

namespace patchbay::cli {

/// What this node offers, for people: a row per unit, then what is refused and why. Strings of
/// devices are made printable.
[[nodiscard]] std::string resolution_table(const inventory::Resolution& resolution);

/// The same for programs. The shape is part of the product (docs/commands.md):
///   {"resources": [{"name", "description",
///                   "units": [{"id", "healthy", "reason", "devices": [{"key", "subsystem",
///                   "devnode"}]}], "refused": [{"id", "device", "reason"}]}]}
/// What a device lacks is "" there; bytes that are not UTF-8 are U+FFFD. `indent` -1: one line.
[[nodiscard]] std::string resolution_json(const inventory::Resolution& resolution, int indent);

}  // namespace patchbay::cli
