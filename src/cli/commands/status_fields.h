#pragma once

#include <cstdint>
#include <string>

#include "base/json_text.h"

/// Reads values from the JSON of `status` and `discover`. If a value is absent or has another type,
/// the result is empty, 0 or false. Pure.
namespace patchbay::cli {

[[nodiscard]] std::string text_at(const Json& json, const char* name);
[[nodiscard]] uint64_t number_at(const Json& json, const char* name);
[[nodiscard]] bool flag_at(const Json& json, const char* name);
/// Returns an object or a list.
[[nodiscard]] const Json& field_at(const Json& json, const char* name);

/// Returns the age of `since` when the status was made, such as "3d"; "-" for an invalid time.
[[nodiscard]] std::string age(const Json& status, const std::string& since);

}  // namespace patchbay::cli
