#include "inventory/shared_nodes.h"

#include <algorithm>
#include <utility>

#include "inventory/unit_checks.h"
#include "rules/text/variable.h"

namespace patchbay::inventory {
namespace {

/// The variable of the host path if several devices can have the same value; otherwise null.
const rules::VariableRef* repeating(const rules::DeviceEntry& entry) {
  if (!entry.host_path) return nullptr;
  const rules::VariableRef* of_device = nullptr;
  for (const auto& use : entry.host_path->uses()) {
    if (rules::differs_per_device(*use.variable, true)) return nullptr;
    if (use.variable->of_device() && of_device == nullptr) of_device = use.variable;
  }
  return of_device;
}

/// Whether this is the node of one of the unit's devices, which is claimed with the device.
bool is_own_node(const Unit& unit, const std::string& path) {
  return std::ranges::any_of(unit.members->devices, [&](const UnitDevice& device) {
    return device.facts->devnode == path || device.facts->key == path;
  });
}

}  // namespace

SharedNodes::SharedNodes(const rules::Plan& plan) {
  for (size_t resource = 0; resource < plan.resources.size(); ++resource) {
    const rules::ResourcePlan& of = *plan.resources[resource];
    for (size_t group = 0; group < of.groups.size(); ++group) {
      if (of.shares_claims || of.groups[group].share) continue;
      const auto& devices = of.groups[group].devices;
      const auto entry = std::ranges::find_if(devices, repeating);
      if (entry == devices.end()) continue;
      NodeGroup found{resource,
                      group,
                      repeating(*entry)->to_text(),
                      entry->host_path->before_variables("").front(),
                      {}};
      for (const rules::DeviceEntry& device : devices) {
        if (device.host_path && device.host_path->uses().empty()) {
          found.fixed.push_back(device.host_path->text());
        }
      }
      groups_.push_back(std::move(found));
    }
  }
}

bool SharedNodes::changed(const std::vector<ResolvedResource>& resources) {
  std::vector<SnapshotPtr> now;
  for (const NodeGroup& group : groups_) now.push_back(resources[group.resource].snapshot);
  if (now == last_) return false;
  last_ = std::move(now);
  return true;
}

void SharedNodes::add_unit(const NodeGroup& group, const Unit& unit, Nodes& nodes) {
  if (unit.members->group != group.group || !unit.checks) return;
  for (const NeededPath& needed : unit.checks->paths) {
    const std::string& path = needed.path;
    if (!needed.device_node || !path.starts_with(group.prefix) || is_own_node(unit, path) ||
        std::ranges::find(group.fixed, path) != group.fixed.end()) {
      continue;
    }
    Node& node = nodes[path];
    node.variable = group.variable;
    node.ids_by_resource[group.resource].push_back(unit.id);
  }
}

void SharedNodes::update(std::vector<ResolvedResource>& resources) {
  if (!changed(resources)) return;
  Nodes nodes;
  for (const NodeGroup& group : groups_) {
    resources[group.resource].shared_nodes.clear();
    for (const Unit& unit : resources[group.resource].snapshot->units) {
      add_unit(group, unit, nodes);
    }
  }
  for (const auto& [path, node] : nodes) {
    for (const auto& [resource, units] : node.ids_by_resource) {
      if (node.ids_by_resource.size() == 1 && units.size() == 1) continue;
      SharedNode shared{.path = path, .variable = node.variable, .units = units};
      for (const auto& [other, theirs] : node.ids_by_resource) {
        if (other != resource) shared.others.push_back(resources[other].name());
      }
      resources[resource].shared_nodes.push_back(std::move(shared));
    }
  }
}

}  // namespace patchbay::inventory
