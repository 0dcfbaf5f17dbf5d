#pragma once

#include <string>

namespace patchbay::config {

/// The JSON Schema (draft 7) of patchbay/v1, for editors: made of the readers' own key tables, so
/// that it knows each key, and no other, and shows its default and an example. It cannot see what
/// only reading does: templates, patterns, names. Of meaning it says only which keys exclude or
/// need each other: `match` and `groups`, the two forms of `share`.
[[nodiscard]] std::string json_schema();

}  // namespace patchbay::config
