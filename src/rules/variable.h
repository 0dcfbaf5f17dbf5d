#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/facts.h"
#include "rules/condition.h"

namespace patchbay::rules {

/// What a match looks at: the key that it has.
enum class RuleKind { subsystem, sysfs, glob };

/// "subsystem", "sysfs" or "glob", as it is written.
[[nodiscard]] std::string_view rule_word(RuleKind kind);

/// What $(…) can stand for.
enum class Variable {
  name,
  subsystem,
  devtype,
  devnode,
  driver,
  numa_node,
  iommu_group,
  usb,
  pci,
  attribute,
  property,
  syspath,
  path,
  link,
  ancestor,  ///< Only as a word: of $(ancestor.usb.name), the variable is `name`.
  capture,
  id,
  resource,
  node,
  slot,
};

/// A variable as it stands in a template.
struct VariableRef {
  Variable variable = Variable::name;
  std::string argument;  ///< NAME of attribute, property, …; of a link, the directory.

  std::string above{};  ///< Of the nearest device above in this subsystem; empty: of the device.

  [[nodiscard]] std::string to_text() const;  ///< "$(attribute.NAME)"
  friend bool operator==(const VariableRef&, const VariableRef&) = default;
};

/// What a variable is, apart from its value.
struct VariableInfo {
  std::string_view word;
  Variable variable = Variable::name;
  bool has_argument = false;
  bool whole_path = false;   ///< Can only begin a path.
  bool of_subsystem = true;  ///< Known in rules of that kind.
  bool of_sysfs = true;
  bool of_glob = false;

  /// Whether $(ancestor.SUBSYSTEM.…) can be followed by it.
  [[nodiscard]] bool of_ancestors() const;
  [[nodiscard]] bool known_in(RuleKind kind) const;
};

[[nodiscard]] const VariableInfo& info(Variable variable);
/// The variable with that word ("attribute" of $(attribute.NAME)); null if there is none.
[[nodiscard]] const VariableInfo* find_variable(std::string_view word);
/// The words of all variables that rules of this kind know.
[[nodiscard]] std::vector<std::string_view> variable_words(RuleKind kind);

/// Where variables get their values. Views: must not outlive what they look at.
struct RenderScope {
  const DeviceFacts* device = nullptr;  ///< Null where an entry is given once per container.
  const Captures* captures = nullptr;
  std::string_view path;  ///< The device's path as a pattern found it.
  std::string_view id;
  std::string_view resource;
  std::string_view node;
  size_t slot = 0;
};

/// The value as the host gave it; null if it is absent or empty.
[[nodiscard]] std::optional<std::string> value_of(const VariableRef& ref, const RenderScope& scope);

}  // namespace patchbay::rules
