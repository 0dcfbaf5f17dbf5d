#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/facts.h"
#include "rules/captures.h"

namespace patchbay::rules {

/// What $(…) can stand for.
enum class Variable {
  fact,      ///< Of a device: see VariableRef::fact.
  ancestor,  ///< Only as a word: of $(ancestor.usb.name), the variable is the fact `name`.
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

/// When a template is rendered; what is known then, is known later as well.
enum class RenderStage {
  matching,    ///< While a device is compared: what is known of the device.
  grouping,    ///< It matches: also what was captured.
  identity,    ///< Its unit is complete: also `by` and the members.
  sharing,     ///< The unit has an id.
  allocation,  ///< A container gets the unit.
};

/// A variable as it stands in a template.
struct VariableRef {
  Fact fact = Fact::name;  ///< Of Variable::fact.
  std::string argument{};  ///< NAME of attribute, property, …; of a link, the directory.
  Variable variable = Variable::fact;

  std::string above{};   ///< Of the nearest device above in this subsystem; empty: of the device.
  std::string member{};  ///< Of the unit's member of that name; empty: of the matched device.

  [[nodiscard]] bool is(Fact expected) const {
    return variable == Variable::fact && fact == expected;
  }
  /// Whether its value is of a device: of the matched one, a member, or one above it.
  [[nodiscard]] bool of_device() const;
  [[nodiscard]] std::string to_text() const;  ///< "$(attribute.NAME)"
  friend bool operator==(const VariableRef&, const VariableRef&) = default;
};

/// What a variable is, apart from its value.
struct VariableInfo {
  std::string_view word;
  Variable variable = Variable::fact;
  Fact fact = Fact::name;
  RuleKinds known_in;
  bool has_argument = false;
  bool whole_path = false;  ///< Can only begin a path.
  RenderStage known_from = RenderStage::matching;
  std::string_view example{};  ///< Of what stands between the brackets, if it has an argument.

  [[nodiscard]] bool is(Fact expected) const {
    return variable == Variable::fact && fact == expected;
  }
  /// The names that its argument can be, of usb and pci; none: any.
  [[nodiscard]] std::span<const FactField> arguments() const;
  /// Whether its value is of a device, and not of the unit or the configuration.
  [[nodiscard]] bool of_device() const;
  /// Whether $(ancestor.SUBSYSTEM.…) can be followed by it.
  [[nodiscard]] bool of_ancestors() const;
};

/// What a variable of a device above begins with: $(ancestor.SUBSYSTEM.…).
inline constexpr std::string_view kAncestorPrefix = "ancestor.";

[[nodiscard]] const VariableInfo& info(const VariableRef& ref);
/// The variable with that word ("attribute" of $(attribute.NAME)); null if there is none.
[[nodiscard]] const VariableInfo* find_variable(std::string_view word);
/// The words of all variables that rules of this kind know.
[[nodiscard]] std::vector<std::string_view> variable_words(RuleKind kind);

/// A device as a rule found it. Views: must not outlive what it looks at.
struct DeviceScope {
  const DeviceFacts* facts = nullptr;  ///< Null: there is none.
  const Captures* captures = nullptr;
  std::string_view path{};  ///< The device's path as a pattern found it.
};

/// One of the members of a unit; the first, where a unit has several.
struct MemberScope {
  std::string_view name;
  DeviceScope device;
};

/// Where variables get their values. Views: must not outlive what they look at.
struct RenderScope {
  DeviceScope device{};  ///< The matched one; none where an entry is given once per container.
  std::span<const MemberScope> members{};
  std::string_view by{};
  std::string_view id{};
  std::string_view resource{};
  std::string_view node{};
  size_t unit = 0;  ///< Among those that the container has.
  size_t slot = 0;
  std::optional<size_t> share{};
  size_t shares = 0;  ///< 0: not known.
};

/// The value as the host gave it; null if it is absent or empty, or if there are several.
[[nodiscard]] std::optional<std::string> value_of(const VariableRef& ref, const RenderScope& scope);
/// Whether there are several, of which a text could hold but one: files that a `*` finds.
[[nodiscard]] bool has_several(const VariableRef& ref, const RenderScope& scope);

}  // namespace patchbay::rules
