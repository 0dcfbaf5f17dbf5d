#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "config/yaml_tree.h"
#include "rules/plan/plan_fwd.h"

/// The kinds of hardware for which rules are proposed.
namespace patchbay::suggest {

/// One row of kinds.yaml, which describes the fields.
struct Kind {
  std::string about;
  std::string owner;      ///< Not empty: a row for hardware of no known kind.
  std::string devtype;    ///< That of the owner. Empty: any.
  config::YamlNode rule;  ///< A resource of the language.
  /// Names of facts, as in $(…): see value_of().
  std::vector<std::vector<std::string>> like;
  std::vector<std::vector<std::string>> one;
  std::string like_text;
  std::vector<std::string> links;
  std::string id;
  std::string container;
  std::string doubtful;  ///< Empty: `--all` offers it.
  std::string refused;   ///< Why a container should not get it. Empty: no such reason.
};

using KindPtr = std::shared_ptr<const Kind>;

/// All kinds; the first that fits a device is the best. Any thread.
[[nodiscard]] std::span<const KindPtr> kinds();

/// A condition that only this text meets.
[[nodiscard]] config::YamlNode exact_text(const std::string& text);

/// The rows for hardware of no known kind. The last one is for devices without such hardware.
[[nodiscard]] std::span<const KindPtr> owners();
/// The kind of hardware that no other kind fits, from its row. `subsystems` are those of its nodes,
/// `name` is for the resource, `devtype` only for one subsystem.
[[nodiscard]] KindPtr unknown_kind(const Kind& owner, const std::vector<std::string>& subsystems,
                                   const std::string& name, const std::string& devtype = {});
/// The same for a device node that belongs to no device of the kernel.
[[nodiscard]] KindPtr node_kind(const std::string& path);

/// A resource for each of the kinds, in their order, to find their units. Each device can be in
/// units of several kinds, and equal serials do not matter. Null: a name of a device cannot be in a
/// rule.
[[nodiscard]] rules::PlanPtr plan_of(std::span<const KindPtr> kinds);

/// A configuration with these resources. Without one, the key `resources` has no value.
[[nodiscard]] config::YamlNode configuration_of(std::vector<config::YamlNode> resources);

}  // namespace patchbay::suggest
