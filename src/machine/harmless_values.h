#pragma once

#include <string_view>

namespace patchbay::machine {

/// Whether values with that name are identifiers, whatever their form, as with "serial". Pure.
[[nodiscard]] bool names_identifier(std::string_view name);

/// Returns whether many pieces of hardware have that value in common: it is a short number, or
/// harmless.txt has its name. A snapshot contains such values. The function does not know which
/// names people gave to devices. `kind`: "attribute" or "property". `name`: an attribute has its
/// path below the device. Pure.
[[nodiscard]] bool is_harmless(std::string_view kind, std::string_view name,
                               std::string_view value);

}  // namespace patchbay::machine
