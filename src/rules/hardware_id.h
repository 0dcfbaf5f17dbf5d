#pragma once

#include <string_view>

#include "base/fact.h"
#include "config/diagnostics.h"
#include "config/spec.h"

namespace patchbay::rules {

/// Whether that is an id, of `usb` or `pci`: hex digits, which anybody may write otherwise.
[[nodiscard]] bool is_hardware_id(std::string_view key, std::string_view name);

/// Puts the condition on such a part of `usb` or `pci` into the form in which facts hold ids: hex
/// digits in small letters without 0x, so of "0x10DE" 10de; of a class, what its beginning is
/// compared with. Conditions on what is no id stay as they are. False if it holds something
/// that can be no id, which is reported.
[[nodiscard]] bool normalise_ids(const FactField& field, config::ConditionSpec& condition,
                                 config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
