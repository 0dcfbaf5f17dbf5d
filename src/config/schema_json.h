#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include <nlohmann/json.hpp>

/// The parts of which the JSON Schema is made.
namespace patchbay::config {

using Json = nlohmann::ordered_json;

/// A value that a table of keys holds as YAML.
[[nodiscard]] Json as_json(std::string_view yaml);

/// The definition of that name.
[[nodiscard]] Json reference(std::string_view name);
[[nodiscard]] Json list_of(Json items, int least);
[[nodiscard]] Json map_of(Json values, int least);
[[nodiscard]] Json any_of(std::initializer_list<Json> schemas);

/// Scalars are text as written: what YAML takes for a number is text all the same.
[[nodiscard]] Json text(bool may_be_empty);
/// A number may end in a unit, or come from a template: then it is a string.
[[nodiscard]] Json number();
[[nodiscard]] Json words(std::span<const std::string_view> all);

}  // namespace patchbay::config
