#pragma once

#include <string>

namespace patchbay::config {

/// The JSON Schema (draft 7) of patchbay/v1, for editors: made of the readers' own key tables, so
/// that it knows each key, and no other. It cannot see what only reading does: templates, patterns,
/// names, and that `match` and `groups` exclude each other is all it says of their meaning.
[[nodiscard]] std::string json_schema();

}  // namespace patchbay::config
