#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "inventory/allocate.h"
#include "inventory/snapshot.h"
#include "rules/plan.h"

namespace patchbay::inventory {

/// What the entries of a resource make of these units, which must be in natural order of ids. Fails
/// as allocate() does; health is not looked at. Pure but for `path_exists`; any thread.
[[nodiscard]] Result<Allocation> assemble(const rules::ResourcePlan& resource,
                                          const std::string& node,
                                          std::span<const Unit* const> units,
                                          const PathExists& path_exists);

/// Where the templates of a group find the values of one unit; views of all three.
[[nodiscard]] rules::RenderScope scope_of(const rules::ResourcePlan& resource,
                                          const std::string& node, const UnitMembers& members,
                                          const std::string& id);

}  // namespace patchbay::inventory
