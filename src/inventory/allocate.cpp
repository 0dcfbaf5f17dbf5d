#include "inventory/allocate.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "inventory/assemble.h"

namespace patchbay::inventory {

Result<Allocation> allocate(const Snapshot& snapshot, std::span<const std::string> ids,
                            const PathExists& path_exists) {
  const rules::ResourcePlan& resource = snapshot.resource_plan();
  // Pointers into the snapshot's units are in the order of ids.
  std::map<const Unit*, std::set<size_t>> granted;
  for (const std::string& id : ids) {
    const auto listed = snapshot.find_listed(id);
    if (!listed) return fail(fmt::format("{} has no unit '{}'", resource.name, printable(id)));
    const Unit& unit = *listed->unit;
    if (!unit.healthy) return fail(fmt::format("unit '{}' is unhealthy: {}", id, unit.reason));
    auto& parts = granted[&unit];
    if (listed->part) parts.insert(*listed->part);
  }
  std::vector<Grant> grants;
  for (const auto& [unit, parts] : granted) {
    grants.push_back({unit, {parts.begin(), parts.end()}});
  }
  return assemble(resource, snapshot.plan->node, grants, path_exists);
}

}  // namespace patchbay::inventory
