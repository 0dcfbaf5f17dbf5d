#include "inventory/allocate.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "inventory/assemble.h"

namespace patchbay::inventory {
namespace {

/// Why a container cannot have these shares of the unit. Empty: the container can.
std::string limit_fault(const rules::GroupPlan& group, const Unit& unit,
                        const std::set<size_t>& shares) {
  const size_t most = group.max_per_container();
  if (shares.size() <= most) return "";
  return fmt::format("unit '{}': a container gets at most {} of its shares (perContainer), not {}",
                     unit.id, most, shares.size());
}

}  // namespace

Result<Allocation> allocate(const Snapshot& snapshot, std::span<const std::string> ids,
                            const PathExists& path_exists) {
  const rules::ResourcePlan& resource = *snapshot.resource;
  std::map<size_t, std::set<size_t>> granted;  // By index, which is in the order of ids.
  for (const std::string& id : ids) {
    const auto listed = snapshot.find_listed(id);
    if (!listed) return fail(fmt::format("{} has no unit '{}'", resource.name, printable(id)));
    const Unit& unit = *listed->unit;
    if (!unit.healthy) return fail(fmt::format("unit '{}' is unhealthy: {}", id, unit.reason));
    auto& shares = granted[listed->index];
    if (listed->share) shares.insert(*listed->share);
  }
  std::vector<Grant> grants;
  for (const auto& [index, shares] : granted) {
    const Unit& unit = snapshot.units[index];
    const rules::GroupPlan& group = resource.groups[unit.members->group];
    if (auto fault = limit_fault(group, unit, shares); !fault.empty()) return fail(fault);
    grants.push_back({&unit, {shares.begin(), shares.end()}});
  }
  const auto edits = assemble(resource, grants, path_exists);
  if (!edits) return std::unexpected(edits.error());
  return join_edits(*edits);
}

}  // namespace patchbay::inventory
