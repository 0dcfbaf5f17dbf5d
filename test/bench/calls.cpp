#include "bench/calls.h"

#include <optional>
#include <string>
#include <vector>

#include "bench/node.h"
#include "inventory/allocate.h"
#include "inventory/path_queries.h"
#include "plugin/plugin_messages.h"

namespace patchbay::bench {
namespace {

/// The state of a path, which is a link to the device node of a unit.
std::optional<inventory::PathState> at_once(const std::string& path) {
  const auto minor = static_cast<uint32_t>(std::stoul(path.substr(path.rfind("LAB") + 3)));
  return inventory::PathState{.exists = true,
                              .node = DeviceNumber{.block = false, .major = 200, .minor = minor}};
}

}  // namespace

size_t allocate_one(const inventory::Snapshot& snapshot, size_t unit) {
  inventory::PathQueries paths(at_once);
  const std::vector<std::string> ids{snapshot.units[unit].id};
  const auto given = inventory::allocate(snapshot, ids, [&](const std::string& path, bool device) {
    return paths.exists(path, device);
  });
  expect(given.has_value(), "each unit can be given");
  paths.query_nodes(*given);
  const auto changed = inventory::find_changed_node(
      snapshot, ids, *given, [&](const std::string& path) { return paths.node(path); });
  expect(!changed, "nodes are what they were");
  return plugin::to_response(*given).SerializeAsString().size();
}

}  // namespace patchbay::bench
