#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace patchbay {

using Json = nlohmann::ordered_json;

/// Returns the JSON as ASCII text, which is safe to print on a terminal. Bytes that are not UTF-8
/// are replaced. `indent` -1 writes one line.
[[nodiscard]] inline std::string json_text(const Json& json, int indent = 2) {
  return json.dump(indent, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace patchbay
