#pragma once

#include <string_view>

#include "config/diagnostics.h"
#include "config/spec.h"
#include "model/fact.h"

namespace patchbay::rules {

/// Whether the field `name` of `key` (`usb` or `pci`) is an id: hex digits, which people write in
/// several notations.
[[nodiscard]] bool is_hardware_id(std::string_view key, std::string_view name);

/// Converts a condition on an id of `usb` or `pci` to the form of the facts: lower-case hex digits
/// without 0x ("0x10DE" becomes 10de). A PCI class with two or four digits becomes a pattern: "03"
/// becomes 03*. Conditions on other fields stay unchanged. If a text cannot be an id, reports it
/// and returns false.
[[nodiscard]] bool normalise_ids(const FactField& field, config::ConditionSpec& condition,
                                 config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
