#include "suggest/conditions.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "config/yaml_writer.h"
#include "machine/identifier_text.h"
#include "suggest/device_values.h"

namespace patchbay::suggest {
namespace {

using config::YamlEntry;
using config::YamlNode;

/// `pci` and `vendor` of `pci.vendor`. The second is empty for `name`.
std::pair<std::string_view, std::string_view> split_variable(std::string_view variable) {
  const size_t dot = variable.find('.');
  if (dot == std::string_view::npos) return {variable, ""};
  return {variable.substr(0, dot), variable.substr(dot + 1)};
}

bool meets(const DeviceFacts& device, const Conditions& conditions) {
  return std::ranges::all_of(conditions, [&](const Condition& condition) {
    return value_of(device, condition.variable) == condition.value;
  });
}

/// The conditions that all devices of a unit meet. Null: a fact is absent, or it differs, or a
/// snapshot has a stand-in for it.
std::optional<Conditions> conditions_on(const std::vector<std::string>& variables,
                                        const Devices& unit) {
  Conditions conditions;
  for (const std::string& variable : variables) {
    auto value = value_of(*unit.front(), variable);
    if (!value || machine::is_stand_in(*value)) return std::nullopt;
    conditions.push_back({variable, *std::move(value)});
  }
  const auto meets_all = [&](const auto& device) { return meets(*device, conditions); };
  if (!std::ranges::all_of(unit, meets_all)) return std::nullopt;
  return conditions;
}

/// "key: value" in one line.
std::string text_of_entry(const YamlEntry& entry) {
  const std::string text =
      write_yaml(config::yaml_mapping({{entry.key.value, entry.value}}), {.width = 1000});
  return std::string(trim_end(text));
}

}  // namespace

Conditions model_conditions(const Kind& kind, const Devices& unit) {
  for (const auto& variables : kind.like) {
    if (auto conditions = conditions_on(variables, unit)) return *std::move(conditions);
  }
  return {};
}

Conditions own_conditions(const Kind& kind, const Devices& unit, const Devices& others) {
  for (const auto& variables : kind.one) {
    auto conditions = conditions_on(variables, unit);
    if (conditions && !any_meets(others, *conditions)) return *std::move(conditions);
  }
  return {};
}

bool any_meets(const Devices& devices, const Conditions& conditions) {
  return std::ranges::any_of(devices,
                             [&](const auto& device) { return meets(*device, conditions); });
}

std::string_view key_of(const Condition& condition) {
  return split_variable(condition.variable).first;
}

const YamlNode* find_value(const YamlNode& match, std::string_view variable) {
  const auto [key, field] = split_variable(variable);
  const YamlNode* const value = config::value_of(match, key);
  return value == nullptr || field.empty() ? value : config::value_of(*value, field);
}

YamlNode& value_at(std::string_view variable, YamlNode& match) {
  const auto [key, field] = split_variable(variable);
  YamlNode& value = value_in(match, key);
  return field.empty() ? value : value_in(value, field);
}

void add(const Condition& condition, YamlNode& match) {
  const auto [key, field] = split_variable(condition.variable);
  if (key != "ancestor") {
    value_at(condition.variable, match) = exact_text(condition.value);
    return;
  }
  const auto [subsystem, fact] = split_variable(field);
  YamlNode& ancestor = value_in(match, key);
  value_in(ancestor, "subsystem") = exact_text(std::string(subsystem));
  value_in(ancestor, fact) = exact_text(condition.value);
}

std::string text_of(const YamlNode& value) {
  return text_of_entry({{"value", {}}, value}).substr(std::string_view("value: ").size());
}

std::string text_of(const Conditions& conditions, const YamlNode& match,
                    std::string_view preposition) {
  const std::string_view key = key_of(conditions.back());
  const bool has_key = config::value_of(match, key) != nullptr;
  YamlNode added = config::yaml_mapping({});
  for (const Condition& condition : conditions) add(condition, added);
  std::string text;
  for (const YamlEntry& entry : has_key ? value_in(added, key).entries : added.entries) {
    text += (text.empty() ? "" : ", ") + text_of_entry(entry);
  }
  return has_key && !preposition.empty() ? fmt::format("{} {} {}", text, preposition, key) : text;
}

}  // namespace patchbay::suggest
