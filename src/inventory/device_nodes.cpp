#include "inventory/device_nodes.h"

#include <map>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::inventory {
namespace {

/// The nodes of the units' devices, under each of their names.
std::map<std::string, DeviceNumber> known_nodes(const Snapshot& snapshot,
                                                std::span<const std::string> ids,
                                                std::vector<std::string>& devices) {
  std::map<std::string, DeviceNumber> nodes;
  for (const std::string& id : ids) {
    const auto listed = snapshot.find_listed(id);
    if (!listed) continue;
    for (const UnitDevice& device : listed->unit->members->devices) {
      const DeviceFacts& facts = *device.facts;
      devices.push_back(facts.key);
      if (!facts.number) continue;
      nodes.emplace(facts.kind == DeviceKind::path ? facts.key : facts.devnode, *facts.number);
      for (const std::string& link : facts.links) nodes.emplace(link, *facts.number);
    }
  }
  return nodes;
}

std::string text_of(const DeviceNumber& number) {
  return fmt::format("{} {}:{}", number.block ? "block" : "char", number.major, number.minor);
}

}  // namespace

std::optional<ChangedNode> find_changed_node(const Snapshot& snapshot,
                                             std::span<const std::string> ids,
                                             const Allocation& allocation,
                                             const NodeNumber& number_of) {
  std::vector<std::string> devices;
  const auto known = known_nodes(snapshot, ids, devices);
  for (const AllocatedDevice& device : allocation.devices) {
    if (device.optional) continue;
    const auto number = number_of(device.host_path);
    if (!number) return ChangedNode{number.error().message, devices};
    const auto before = known.find(device.host_path);
    if (before == known.end() || before->second == *number) continue;
    return ChangedNode{
        fmt::format("{} is another device now: {}, not {}", printable(device.host_path),
                    text_of(*number), text_of(before->second)),
        devices};
  }
  return std::nullopt;
}

}  // namespace patchbay::inventory
