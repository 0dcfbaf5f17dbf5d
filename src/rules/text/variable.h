#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/facts.h"

/// To add a variable that is not a fact (for facts, see model/fact.h):
/// - Add its Variable, and its row in the table of variable.cpp. An empty value counts as absent.
/// - Test a hostile value in an id, a path, a name and a value.
/// - Add its row to the table of variables in docs/configuration.md.
namespace patchbay::rules {

/// The kind of a variable, $(…).
enum class Variable {
  fact,      ///< A fact of a device: see VariableRef::fact.
  ancestor,  ///< Never in a VariableRef: $(ancestor.usb.name) refers to the fact `name`.
  capture,
  by,
  id,
  resource,
  node,
  unit,
  slot,
  share,
  shares,
  claim,
  request,
};

/// When a template is rendered. Each stage also knows the values of the previous ones.
enum class RenderStage {
  matching,    ///< During a comparison: the facts of the device are known.
  grouping,    ///< After a match: also the captures.
  identity,    ///< For a complete unit: also `by` and the members.
  sharing,     ///< After the unit has an id: also the id.
  allocation,  ///< When a container gets the unit: all values.
};

/// A variable as it is written in a template.
struct VariableRef {
  Fact fact = Fact::name;  ///< For Variable::fact.
  std::string argument{};  ///< NAME of an attribute, property, …; directory of a link.
  Variable variable = Variable::fact;

  /// The nearest ancestor of this subsystem has the value. Empty: the device has the value.
  std::string above{};
  std::string member{};  ///< Member that has the value; empty: the matched device.

  [[nodiscard]] bool is(Fact expected) const {
    return variable == Variable::fact && fact == expected;
  }
  /// Whether the value belongs to a device: the matched one, a member, or an ancestor of either.
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
  /// The allowed arguments of `usb` and `pci`. Empty: any argument is allowed.
  [[nodiscard]] std::span<const FactField> arguments() const;
  /// Whether the value belongs to a device, not to the unit or the configuration.
  [[nodiscard]] bool of_device() const;
  /// Whether the author of a Pod chooses the value: $(claim) and $(request).
  [[nodiscard]] bool of_pod() const;
  /// Whether the variable is allowed in $(ancestor.SUBSYSTEM.…).
  [[nodiscard]] bool of_ancestors() const;
};

/// Prefix of variables of an ancestor: $(ancestor.SUBSYSTEM.…).
inline constexpr std::string_view kAncestorPrefix = "ancestor.";

[[nodiscard]] const VariableInfo& info(const VariableRef& ref);
/// Returns the variable with this word, such as "attribute" for $(attribute.NAME). Null if there is
/// none.
[[nodiscard]] const VariableInfo* find_variable(std::string_view word);
/// Returns the words of all variables that rules of this kind have.
[[nodiscard]] std::vector<std::string_view> variable_words(RuleKind kind);

/// The texts that named groups of regexes matched, for $(capture.NAME). Empty texts are omitted.
using Captures = std::map<std::string, std::string, std::less<>>;

/// The values of one device for a rule that matches it. A view: must not outlive the facts.
struct DeviceScope {
  const DeviceFacts* facts = nullptr;  ///< Null: no device.
  const Captures* captures = nullptr;
  std::string_view path{};  ///< The path at which a pattern of the rule found the device.
};

/// A member of a unit, with its first device.
struct MemberScope {
  std::string_view name;
  DeviceScope device;
};

/// The values of all variables. A view: must not outlive the facts.
struct RenderScope {
  DeviceScope device{};  ///< The matched device. None for an entry that is once per container.
  std::span<const MemberScope> members{};
  std::string_view by{};
  std::string_view id{};
  std::string_view resource{};
  std::string_view node{};
  size_t unit = 0;  ///< Index among the units of the container.
  size_t slot = 0;
  std::optional<size_t> share{};
  size_t shares = 0;  ///< 0: not known.
  std::string_view claim{};
  std::string_view request{};
};

/// Returns the value, unchecked. Null if the value is absent or empty, or if there are several
/// values.
[[nodiscard]] std::optional<std::string> value_of(const VariableRef& ref, const RenderScope& scope);
/// Whether there are several values, as for attributes with `*`. A text can contain only one value.
[[nodiscard]] bool has_several(const VariableRef& ref, const RenderScope& scope);

/// Whether the variable has a different value for each device. With `read`, values that a vendor or
/// driver chose, such as captures and attributes, also count as different.
[[nodiscard]] bool differs_per_device(const VariableRef& ref, bool read);

}  // namespace patchbay::rules
