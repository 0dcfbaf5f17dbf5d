#pragma once

#include <string>

namespace patchbay::config {

/// Returns the JSON Schema (draft 7) of patchbay/v1, for editors. It has the same keys, defaults
/// and examples as the readers, because both use the same tables. It also says which keys need or
/// exclude each other, such as `match` and `groups`. It does not check templates, patterns and
/// names.
[[nodiscard]] std::string json_schema();

}  // namespace patchbay::config
