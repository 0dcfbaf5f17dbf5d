#pragma once

#include <cstdint>
#include <string>

#include "base/json_text.h"

/// Reads values from the JSON of `status` and `discover`. A value that is absent or has another
/// type is empty. Pure.
namespace patchbay::cli {

[[nodiscard]] std::string text_at(const Json& json, const char* name);
[[nodiscard]] uint64_t number_at(const Json& json, const char* name);
[[nodiscard]] bool flag_at(const Json& json, const char* name);
/// An object or a list.
[[nodiscard]] const Json& field_at(const Json& json, const char* name);

/// The age of a time at `at` of the status: "3d"; "-" for an invalid time.
[[nodiscard]] std::string age(const Json& status, const std::string& since);

}  // namespace patchbay::cli
