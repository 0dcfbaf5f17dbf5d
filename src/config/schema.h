#pragma once

#include <string>

namespace patchbay::config {

/// Returns the JSON Schema (draft 7) of patchbay/v1, for editors. It has the same keys, defaults
/// and examples as the readers, because both use the same tables. It does not check templates,
/// patterns and names. It relates only the keys `match` and `groups`, and the two forms of `share`.
[[nodiscard]] std::string json_schema();

}  // namespace patchbay::config
