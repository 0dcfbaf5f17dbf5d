#pragma once

#include <cstdint>
#include <string>

#include "base/json_text.h"

/// What stands in the JSON that a daemon answers; what is missing, or another thing than expected,
/// is nothing. Pure.
namespace patchbay::cli {

[[nodiscard]] std::string text_at(const Json& json, const char* name);
[[nodiscard]] uint64_t number_at(const Json& json, const char* name);
[[nodiscard]] bool flag_at(const Json& json, const char* name);
/// An object or a list.
[[nodiscard]] const Json& field_at(const Json& json, const char* name);

/// How long ago that was when the status was made, by the daemon's clock: "3d"; "-": it is no time.
[[nodiscard]] std::string age(const Json& status, const std::string& since);

}  // namespace patchbay::cli
