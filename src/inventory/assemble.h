#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "inventory/allocate.h"
#include "inventory/unit_scope.h"
#include "rules/plan/plan_fwd.h"

namespace patchbay::inventory {

/// Selects the entries that assemble() renders. With `cdi: write`, the required devices and mounts
/// of a unit are in its CDI spec. The response to Allocate names the unit's CDI device instead of
/// them. Optional devices and mounts are always in the response, because only Allocate knows
/// whether they exist.
enum class Injection {
  answer,  ///< The response to Allocate.
  spec,    ///< The devices and mounts for the CDI specs of the units.
  all,     ///< All entries, also those of the CDI specs.
};

/// One value of an environment variable or annotation. join_edits() joins the values of one name.
struct NamedValue {
  enum class Kind { env, annotation };
  Kind kind = Kind::env;
  std::string name;
  std::string value;
  std::string join;  ///< Separator between the values.
};

struct CdiName {
  std::string name;
};

/// A device, mount, value or CDI name that one entry adds to a container for one unit.
struct Edit {
  const Unit* unit = nullptr;  ///< Never null. The first unit if the entry is not per unit.
  std::variant<AllocatedDevice, AllocatedMount, NamedValue, CdiName> what;
  /// If not empty, the response names this CDI device instead of `what`.
  std::string cdi_device{};
  size_t request = 0;  ///< Grant::request
};

/// Renders the entries of a resource for these units, which must be in natural order of ids within
/// each request. An entry that is not per unit is rendered once for each request, and slots count
/// over all requests. Fails if an entry cannot be rendered. Does not check health, limits or
/// clashes. Pure except for `path_exists`, which Injection::spec does not use. Any thread.
[[nodiscard]] Result<std::vector<Edit>> assemble(const rules::ResourcePlan& resource,
                                                 std::span<const Grant> units,
                                                 const PathExists& path_exists,
                                                 Injection injection = Injection::answer);

/// Joins the edits of one container, in their order. Fails if two edits clash, see allocate(), or
/// if the response is larger than the kubelet accepts. Pure; any thread.
[[nodiscard]] Result<Allocation> join_edits(std::span<const Edit> edits);

}  // namespace patchbay::inventory
