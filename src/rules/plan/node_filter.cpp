#include "rules/plan/node_filter.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "rules/plan/plan.h"

namespace patchbay::rules {
namespace {

DeviceFacts node_as_device(const std::string& name, const NodeFacts& facts) {
  DeviceFacts device;
  device.key = "node";
  device.kind = DeviceKind::node;
  device.name = name;
  std::vector<FactValue> values;
  for (const auto& [path, content] : facts.files) values.push_back({Fact::file, path, content});
  for (const std::string& pattern : facts.globs) values.push_back({Fact::glob, pattern, pattern});
  for (const auto& [word, value] : facts.variables) values.push_back({Fact::env, word, value});
  device.known = FactValues(std::move(values));
  return device;
}

/// Why an item is excluded on the node; empty if it is not.
struct Exclusion {
  std::vector<Mismatch> reasons;
  bool unresponsive = false;
};

/// `at`: position of the item with the condition.
Exclusion find_exclusion(const std::optional<Matcher>& when, const config::Position& at,
                         const DeviceFacts& node, const NodeFacts& facts) {
  if (!when) return {};
  NodeQuery wanted;
  when->want(wanted);
  // An unknown path decides the result everywhere: under `except` it must not exist.
  for (const auto& [key, paths] : {std::pair("glob", &wanted.globs), {"file", &wanted.files}}) {
    for (const std::string& path : *paths) {
      const auto why = facts.unknown.find(path);
      if (why == facts.unknown.end()) continue;
      return {.reasons = {{at, fmt::format("{}: \"{}\"", key, printable(path)),
                           fmt::format("{}: {}", printable(path), why->second)}},
              .unresponsive = std::ranges::binary_search(facts.unresponsive, path)};
    }
  }
  return {.reasons = when->mismatches(node)};
}

/// The indexes of the excluded groups of the resource, in order.
std::vector<size_t> excluded_groups(const Plan& plan, const std::string& resource) {
  std::vector<size_t> groups;
  for (const Excluded& left : plan.excluded) {
    if (left.resource == resource && left.group) groups.push_back(*left.group);
  }
  return groups;
}

size_t remaining_group_count(const Plan& plan, const std::string& resource) {
  const auto found = std::ranges::find(plan.resources, resource, &ResourcePlan::name);
  return found == plan.resources.end() ? 0 : (*found)->groups.size();
}

}  // namespace

NodeQuery node_query(const Plan& plan) {
  NodeQuery query;
  for (const ResourcePlanPtr& resource : plan.resources) {
    if (resource->when) resource->when->want(query);
    for (const GroupPlan& group : resource->groups) {
      if (group.when) group.when->want(query);
    }
  }
  return query;
}

PlanPtr filter_for_node(const PlanPtr& plan, const NodeFacts& facts) {
  auto out = std::make_shared<Plan>();
  out->driver = plan->driver;
  for (const ResourcePlanPtr& resource : plan->resources) {
    const DeviceFacts node = node_as_device(resource->node, facts);
    const config::Position& at = resource->at.position;
    if (auto exclusion = find_exclusion(resource->when, at, node, facts);
        !exclusion.reasons.empty()) {
      out->excluded.push_back(
          {resource->name, std::nullopt, at, std::move(exclusion.reasons), exclusion.unresponsive});
      continue;
    }
    std::vector<GroupPlan> kept;
    for (size_t i = 0; i < resource->groups.size(); ++i) {
      const GroupPlan& group = resource->groups[i];
      auto exclusion = find_exclusion(group.when, group.at.position, node, facts);
      if (exclusion.reasons.empty()) {
        kept.push_back(group);
      } else {
        out->excluded.push_back({resource->name, i, group.at.position, std::move(exclusion.reasons),
                                 exclusion.unresponsive});
      }
    }
    if (kept.size() == resource->groups.size()) {
      out->resources.push_back(resource);
    } else if (!kept.empty()) {
      auto smaller = std::make_shared<ResourcePlan>(*resource);
      smaller->groups = std::move(kept);
      out->resources.push_back(std::move(smaller));
    }
  }
  if (out->excluded.empty()) return plan;
  out->index = RuleIndex(out->resources);
  return out;
}

size_t configured_group_number(const Plan& plan, size_t resource, size_t group) {
  const ResourcePlan& kept = *plan.resources[resource];
  const auto gone = excluded_groups(plan, kept.name);
  if (kept.groups.size() + gone.size() == 1) return 0;
  for (const size_t before : gone) {
    if (before <= group) ++group;
  }
  return group + 1;
}

size_t configured_group_number(const Plan& plan, const Excluded& left) {
  const size_t groups =
      excluded_groups(plan, left.resource).size() + remaining_group_count(plan, left.resource);
  return left.group && groups > 1 ? *left.group + 1 : 0;
}

}  // namespace patchbay::rules
