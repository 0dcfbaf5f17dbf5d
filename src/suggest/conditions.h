#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/yaml_tree.h"
#include "model/facts.h"
#include "suggest/kinds.h"

/// Conditions that a rule can have on a device, and their place in its `match`.
namespace patchbay::suggest {

struct Condition {
  std::string variable;  ///< See value_of().
  std::string value;
  friend bool operator==(const Condition&, const Condition&) = default;
};
using Conditions = std::vector<Condition>;
using Devices = std::vector<DeviceFactsPtr>;

/// The conditions that all units of the model meet. Empty: the kind is not narrowed.
[[nodiscard]] Conditions model_conditions(const Kind& kind, const Devices& unit);

/// The conditions that no device of `others` meets. Empty: the unit has no such facts.
[[nodiscard]] Conditions own_conditions(const Kind& kind, const Devices& unit,
                                        const Devices& others);

[[nodiscard]] bool any_meets(const Devices& devices, const Conditions& conditions);

/// The key of a match with the condition: `pci` of `pci.vendor`.
[[nodiscard]] std::string_view key_of(const Condition& condition);

/// The value of the variable in a match. Null: it has none.
[[nodiscard]] const config::YamlNode* find_value(const config::YamlNode& match,
                                                 std::string_view variable);

/// The same; it is added if it is absent.
[[nodiscard]] config::YamlNode& value_at(std::string_view variable, config::YamlNode& match);

/// Adds the condition to a match, in place of another one on the same fact.
void add(const Condition& condition, config::YamlNode& match);

/// The value in one line.
[[nodiscard]] std::string text_of(const config::YamlNode& value);

/// "serial: A10KZP01 to usb", if `match` has `usb`; else "usb: {serial: A10KZP01}". Without a
/// preposition: "serial: A10KZP01". If `match` has the last of several keys, it has all.
[[nodiscard]] std::string text_of(const Conditions& conditions, const config::YamlNode& match,
                                  std::string_view preposition);

}  // namespace patchbay::suggest
