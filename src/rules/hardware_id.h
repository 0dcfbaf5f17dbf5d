#pragma once

#include <string_view>

#include "config/diagnostics.h"
#include "config/spec.h"

namespace patchbay::rules {

/// Whether that key of `usb` or `pci` is an id: hex digits, which anybody may write otherwise.
[[nodiscard]] bool is_hardware_id(std::string_view key);

/// Puts the condition on the key `key` of `usb` or `pci` into the form in which facts hold ids: hex
/// digits in small letters without 0x, so of "0x10DE" 10de; of a class, what its beginning is
/// compared with. Conditions on keys that are no ids stay as they are. False if it holds something
/// that can be no id, which is reported.
[[nodiscard]] bool normalise_ids(std::string_view key, config::ConditionSpec& condition,
                                 config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
