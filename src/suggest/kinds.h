#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "config/yaml_tree.h"
#include "rules/plan/plan_fwd.h"

/// The kinds of hardware for which rules are proposed, from kinds.yaml.
namespace patchbay::suggest {

/// One row of kinds.yaml. The comment in that file describes the fields.
struct Kind {
  std::string about;
  std::string owner;      ///< Set if the row is for hardware of no known kind.
  std::string devtype;    ///< Devtype of the owner. Empty for any.
  config::YamlNode rule;  ///< An item of `resources`.
  /// Names of facts, as in $(…): see value_of() in device_values.h.
  std::vector<std::vector<std::string>> like;
  std::vector<std::vector<std::string>> one;
  std::string like_text;
  std::vector<std::string> links;
  std::string id;
  std::string container;
  std::string doubtful;  ///< Why `--all` writes the rule as a comment. Empty if it does not.
  /// Why no container should get such a device. Empty if there is no reason.
  std::string refused;
};

using KindPtr = std::shared_ptr<const Kind>;

/// Returns all known kinds. The first one that matches a device is the best. Any thread.
[[nodiscard]] std::span<const KindPtr> kinds();

/// Returns a condition that only this text meets.
[[nodiscard]] config::YamlNode exact_text(const std::string& text);

/// Returns the rows for hardware of no known kind. The last one is for devices without any owner.
[[nodiscard]] std::span<const KindPtr> owners();
/// Makes a kind for hardware of no known kind, from the row `owner`. `subsystems` are the
/// subsystems of the device nodes. `name` is for the resource. `devtype` is possible only with one
/// subsystem.
[[nodiscard]] KindPtr unknown_kind(const Kind& owner, const std::vector<std::string>& subsystems,
                                   const std::string& name, const std::string& devtype = {});
/// Makes a kind for a device node that belongs to no device of the kernel.
[[nodiscard]] KindPtr node_kind(const std::string& path);

/// Returns a plan that finds the units of the kinds, with one resource for each kind, in their
/// order. A device can be in units of several kinds, and equal serials do not matter. Null if a
/// name in a kind cannot be in a rule.
[[nodiscard]] rules::PlanPtr plan_of(std::span<const KindPtr> kinds);

/// Returns a configuration with these resources. Without any, the key `resources` has no value.
[[nodiscard]] config::YamlNode configuration_of(std::vector<config::YamlNode> resources);

}  // namespace patchbay::suggest
