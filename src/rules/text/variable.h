#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/facts.h"

/// To add a variable that is not a fact (model/fact.h):
/// - its Variable, and its row in the table of variable.cpp. An empty value counts as absent;
/// - a test of a hostile value in an id, a path, a name and a value;
/// - its row in the table of variables of docs/configuration.md.
namespace patchbay::rules {

/// The meaning of a $(…).
enum class Variable {
  fact,      ///< Fact of a device: see VariableRef::fact.
  ancestor,  ///< Only a word: the variable of $(ancestor.usb.name) is the fact `name`.
  capture,
  by,
  id,
  resource,
  node,
  unit,
  slot,
  share,
  shares,
};

/// When a template is rendered. Each stage also knows the values of the previous ones.
enum class RenderStage {
  matching,    ///< During a comparison: facts of the device.
  grouping,    ///< After a match: also captures.
  identity,    ///< With a complete unit: also `by` and the members.
  sharing,     ///< With the unit's id.
  allocation,  ///< When a container gets the unit.
};

/// A variable as it is written in a template.
struct VariableRef {
  Fact fact = Fact::name;  ///< Fact of Variable::fact.
  std::string argument{};  ///< NAME of attribute, property, …; directory of a link.
  Variable variable = Variable::fact;

  std::string above{};   ///< Subsystem of the nearest ancestor with the value; empty: the device.
  std::string member{};  ///< Member with the value; empty: the matched device.

  [[nodiscard]] bool is(Fact expected) const {
    return variable == Variable::fact && fact == expected;
  }
  /// Whether the value belongs to a device: the matched one, a member, or an ancestor of it.
  [[nodiscard]] bool of_device() const;
  [[nodiscard]] std::string to_text() const;  ///< "$(attribute.NAME)"
  friend bool operator==(const VariableRef&, const VariableRef&) = default;
};

/// The properties of a variable, without its value.
struct VariableInfo {
  std::string_view word;
  Variable variable = Variable::fact;
  Fact fact = Fact::name;
  RuleKinds known_in;
  bool has_argument = false;
  bool whole_path = false;  ///< Allowed only at the beginning of a path.
  RenderStage known_from = RenderStage::matching;
  std::string_view example{};  ///< Example of the text in parentheses, if it has an argument.

  [[nodiscard]] bool is(Fact expected) const {
    return variable == Variable::fact && fact == expected;
  }
  /// The possible names of the argument, for usb and pci. Empty: any name.
  [[nodiscard]] std::span<const FactField> arguments() const;
  /// Whether the value belongs to a device, not to the unit or the configuration.
  [[nodiscard]] bool of_device() const;
  /// Whether it is allowed after $(ancestor.SUBSYSTEM.…).
  [[nodiscard]] bool of_ancestors() const;
};

/// Prefix of variables of an ancestor: $(ancestor.SUBSYSTEM.…).
inline constexpr std::string_view kAncestorPrefix = "ancestor.";

[[nodiscard]] const VariableInfo& info(const VariableRef& ref);
/// The variable with this word ("attribute" of $(attribute.NAME)). Null if there is none.
[[nodiscard]] const VariableInfo* find_variable(std::string_view word);
/// The words of all variables that rules of this kind have.
[[nodiscard]] std::vector<std::string_view> variable_words(RuleKind kind);

/// Named groups of the regexes that matched, for $(capture.NAME). Empty groups are omitted.
using Captures = std::map<std::string, std::string, std::less<>>;

/// A device as a rule found it. A view: must not outlive the facts.
struct DeviceScope {
  const DeviceFacts* facts = nullptr;  ///< Null: no device.
  const Captures* captures = nullptr;
  std::string_view path{};  ///< Device path as a pattern found it.
};

/// A member of a unit; if it has several devices, the first one.
struct MemberScope {
  std::string_view name;
  DeviceScope device;
};

/// The values of variables. A view: must not outlive the facts.
struct RenderScope {
  DeviceScope device{};  ///< Matched device; none for an entry that is given once per container.
  std::span<const MemberScope> members{};
  std::string_view by{};
  std::string_view id{};
  std::string_view resource{};
  std::string_view node{};
  size_t unit = 0;  ///< Index among the units of the container.
  size_t slot = 0;
  std::optional<size_t> share{};
  size_t shares = 0;  ///< 0: not known.
};

/// The value as the host gave it. Null if it is absent or empty, or if there are several.
[[nodiscard]] std::optional<std::string> value_of(const VariableRef& ref, const RenderScope& scope);
/// Whether there are several values, as for files that a `*` finds. A text could contain only one.
[[nodiscard]] bool has_several(const VariableRef& ref, const RenderScope& scope);

/// Whether the value differs for each device. `read`: also for text of a vendor or driver, which
/// leads to a node of the device, but not always to another directory.
[[nodiscard]] bool differs_per_device(const VariableRef& ref, bool read);

}  // namespace patchbay::rules
