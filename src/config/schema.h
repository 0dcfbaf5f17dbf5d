#pragma once

#include <string>

namespace patchbay::config {

/// The JSON Schema (draft 7) of patchbay/v1, for editors. It is made from the readers' key tables:
/// it has the same keys, with defaults and examples. It does not check templates, patterns and
/// names. The only relations between keys are `match` or `groups`, and the two forms of `share`.
[[nodiscard]] std::string json_schema();

}  // namespace patchbay::config
