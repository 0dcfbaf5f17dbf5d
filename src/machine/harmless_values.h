#pragma once

#include <string_view>

namespace patchbay::machine {

/// Whether many pieces of hardware have that value in common: it is a short number, or harmless.txt
/// has its name. A snapshot contains such values. A name that a person gave to a device is not
/// considered. `kind`: "attribute" or "property". `name`: an attribute has its path below the
/// device. Pure.
[[nodiscard]] bool is_harmless(std::string_view kind, std::string_view name,
                               std::string_view value);

}  // namespace patchbay::machine
