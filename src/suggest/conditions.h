#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/yaml_tree.h"
#include "model/facts.h"
#include "suggest/kinds.h"

/// Conditions that a proposed rule can have on a device, and their position in its `match`.
namespace patchbay::suggest {

struct Condition {
  std::string variable;  ///< See value_of().
  std::string value;
  friend bool operator==(const Condition&, const Condition&) = default;
};
using Conditions = std::vector<Condition>;
using Devices = std::vector<DeviceFactsPtr>;

/// Returns conditions that all units of the same model meet. Empty if the rule gets no conditions.
[[nodiscard]] Conditions model_conditions(const Kind& kind, const Devices& unit);

/// Returns conditions that the unit meets and no device of `others` meets. Empty if there are none.
[[nodiscard]] Conditions own_conditions(const Kind& kind, const Devices& unit,
                                        const Devices& others);

/// Whether one of the devices meets all conditions.
[[nodiscard]] bool any_meets(const Devices& devices, const Conditions& conditions);

/// Returns the key of a match that has the condition: `pci` for `pci.vendor`.
[[nodiscard]] std::string_view key_of(const Condition& condition);

/// Returns the value of the variable in a match. Null if the match has none.
[[nodiscard]] const config::YamlNode* find_value(const config::YamlNode& match,
                                                 std::string_view variable);

/// Returns the value of the variable in a match. Adds it if it is absent.
[[nodiscard]] config::YamlNode& value_at(std::string_view variable, config::YamlNode& match);

/// Adds the condition to a match. Replaces a condition on the same fact.
void add(const Condition& condition, config::YamlNode& match);

/// Returns the value on one line.
[[nodiscard]] std::string text_of(const config::YamlNode& value);

/// Returns the conditions as text, with the position in `match`. If `match` has `usb`, the text is
/// "serial: A10KZP01 to usb", otherwise "usb: {serial: A10KZP01}". Without a preposition, the text
/// is only "serial: A10KZP01". If `match` has the key of the last condition, the text has only the
/// conditions with this key.
[[nodiscard]] std::string text_of(const Conditions& conditions, const config::YamlNode& match,
                                  std::string_view preposition);

}  // namespace patchbay::suggest
