#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include <nlohmann/json.hpp>

/// The building blocks of the JSON Schema.
namespace patchbay::config {

using Json = nlohmann::ordered_json;

/// A value of a key table, which is YAML.
[[nodiscard]] Json as_json(std::string_view yaml);

/// A reference to the definition with that name.
[[nodiscard]] Json reference(std::string_view name);
[[nodiscard]] Json list_of(Json items, int least);
[[nodiscard]] Json map_of(Json values, int least);
[[nodiscard]] Json any_of(std::initializer_list<Json> schemas);

/// Scalars are text as written. Values that YAML reads as numbers are text, too.
[[nodiscard]] Json text(bool may_be_empty);
/// A number. With a unit or a template it is a string.
[[nodiscard]] Json number();
[[nodiscard]] Json words(std::span<const std::string_view> all);

}  // namespace patchbay::config
