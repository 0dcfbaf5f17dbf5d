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

/// Which entries are wanted. With `cdi: write`, the devices and mounts of a unit are in its CDI
/// spec. Optional ones are in the answer, because only Allocate knows whether they exist.
enum class Injection {
  answer,  ///< The answer to Allocate. It names the CDI device of each unit with entries in a spec.
  spec,    ///< The devices and mounts in the CDI specs of the units.
  all,     ///< The entries of both.
};

/// The value of a variable or an annotation. Values under one name are joined.
struct NamedValue {
  enum class Kind { env, annotation };
  Kind kind = Kind::env;
  std::string name;
  std::string value;
  std::string join;  ///< Separator.
};

struct CdiName {
  std::string name;
};

/// A part of the answer to Allocate, from one entry for one unit.
struct Edit {
  const Unit* unit = nullptr;  ///< Never null. An entry that is for all units has the first one.
  std::variant<AllocatedDevice, AllocatedMount, NamedValue, CdiName> what;
  std::string cdi_device{};  ///< Not empty: the answer has this CDI device instead.
};

/// Renders the entries of a resource for these units, which must be in natural order of ids. The
/// edits are in the order of join_edits(). Fails as allocate() does, but ignores health and
/// clashes. Pure except for `path_exists`, which `spec` does not call. Any thread.
[[nodiscard]] Result<std::vector<Edit>> assemble(const rules::ResourcePlan& resource,
                                                 std::span<const Grant> units,
                                                 const PathExists& path_exists,
                                                 Injection injection = Injection::answer);

/// Joins the edits of the units of one container. Fails if they clash, as allocate() does, or are
/// more than the kubelet accepts. Pure; any thread.
[[nodiscard]] Result<Allocation> join_edits(std::span<const Edit> edits);

}  // namespace patchbay::inventory
