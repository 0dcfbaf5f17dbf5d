#include "inventory/path_queries.h"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::inventory {
namespace {

/// A node of a unit's device.
struct KnownNode {
  DeviceNumber number;
  std::string id;  ///< Id of the unit in the list.
};

/// The nodes of the units' devices, by each of their names.
std::map<std::string, KnownNode> known_nodes(const Snapshot& snapshot,
                                             std::span<const std::string> ids,
                                             std::vector<std::string>& devices) {
  std::map<std::string, KnownNode> nodes;
  for (const std::string& id : ids) {
    const auto listed = snapshot.find_listed(id);
    if (!listed) continue;
    for (const UnitDevice& device : listed->unit->members->devices) {
      const DeviceFacts& facts = *device.facts;
      devices.push_back(facts.key);
      if (!facts.number) continue;
      const KnownNode node{*facts.number, id};
      nodes.emplace(facts.kind == DeviceKind::path ? facts.key : facts.devnode, node);
      for (const std::string_view link : facts.known.of(Fact::link)) nodes.emplace(link, node);
    }
  }
  return nodes;
}

/// The units of a container, for a message about a node that no device of a unit has.
std::string units_text(std::span<const std::string> ids) {
  return fmt::format("{} '{}'", ids.size() == 1 ? "unit" : "units", join(ids, "', '"));
}

}  // namespace

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

std::optional<ChangedNode> find_changed_node(const Snapshot& snapshot,
                                             std::span<const std::string> ids,
                                             const Allocation& allocation,
                                             const NodeNumber& number_of) {
  std::vector<std::string> devices;
  const auto known = known_nodes(snapshot, ids, devices);
  for (const AllocatedDevice& device : allocation.devices) {
    if (device.optional) continue;
    const auto number = number_of(device.host_path);
    const auto before = known.find(device.host_path);
    const bool is_known = before != known.end();
    if (number && (!is_known || before->second.number == *number)) continue;
    const std::string unit =
        is_known ? fmt::format("unit '{}'", before->second.id) : units_text(ids);
    if (!number) return ChangedNode{unit + ": " + number.error().message, devices};
    return ChangedNode{
        fmt::format("{}: {} is another device now: {}, not {}", unit, printable(device.host_path),
                    text_of(*number), text_of(before->second.number)),
        devices};
  }
  return std::nullopt;
}

}  // namespace patchbay::inventory
