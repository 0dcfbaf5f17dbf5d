#include "inventory/path_queries.h"

#include <utility>

#include "base/text.h"

namespace patchbay::inventory {

const PathState* PathQueries::query(const std::string& path) {
  if (const auto known = known_.find(path); known != known_.end()) return &known->second;
  if (unknown_.contains(path)) return nullptr;
  auto state = nonblocking_lookup_(path);
  if (state) return &known_.emplace(path, *std::move(state)).first->second;
  unknown_.insert(path);
  return nullptr;
}

bool PathQueries::exists(const std::string& path, bool device) {
  const PathState* state = query(path);
  return state == nullptr || (device ? state->node.has_value() : state->exists);
}

void PathQueries::query_nodes(const Allocation& allocation) {
  for (const AllocatedDevice& device : allocation.devices) {
    if (!device.optional) query(device.host_path);
  }
}

Result<DeviceNumber> PathQueries::node(const std::string& path) const {
  const auto known = known_.find(path);
  if (known == known_.end()) return fail(printable(path) + " was not checked: report it");
  return known->second.node;
}

void PathQueries::learn(PathStates states) {
  for (const auto& [path, state] : states) unknown_.erase(path);
  known_.merge(std::move(states));
}

}  // namespace patchbay::inventory
