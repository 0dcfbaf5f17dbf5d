#include "rules/for_node.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::rules {
namespace {

/// Why it is not for the node; empty if it is. `at` is what the condition is of.
std::vector<Mismatch> reasons_against(const std::optional<NodeCondition>& when,
                                      const config::Position& at, const NodeScope& scope,
                                      const UnknownGlobs& unknown) {
  if (!when) return {};
  NodeQuery asked;
  when->query(asked);
  for (const std::string& pattern : asked.globs) {
    // Not only where it must find something: under `except` it must not.
    if (const auto why = unknown.find(pattern); why != unknown.end()) {
      return {{at, fmt::format("glob: \"{}\"", printable(pattern)),
               fmt::format("{}: {}", printable(pattern), why->second)}};
    }
  }
  return when->mismatches(scope);
}

/// Which groups of the resource were taken away, in order.
std::vector<size_t> groups_left_out(const Plan& plan, const std::string& resource) {
  std::vector<size_t> groups;
  for (const LeftOut& left : plan.left_out) {
    if (left.resource == resource && left.group) groups.push_back(*left.group);
  }
  return groups;
}

size_t groups_left(const Plan& plan, const std::string& resource) {
  const auto found = std::ranges::find(plan.resources, resource, &ResourcePlan::name);
  return found == plan.resources.end() ? 0 : (*found)->groups.size();
}

}  // namespace

NodeQuery node_query(const Plan& plan) {
  NodeQuery query;
  for (const ResourcePlanPtr& resource : plan.resources) {
    if (resource->when) resource->when->query(query);
    for (const GroupPlan& group : resource->groups) {
      if (group.when) group.when->query(query);
    }
  }
  return query;
}

PlanPtr for_node(const PlanPtr& plan, const NodeFacts& facts, const Environment& environment,
                 const UnknownGlobs& unknown) {
  auto out = std::make_shared<Plan>();
  for (const ResourcePlanPtr& resource : plan->resources) {
    const NodeScope scope{facts, resource->node, environment};
    const config::Position& at = resource->at.position;
    if (auto reasons = reasons_against(resource->when, at, scope, unknown); !reasons.empty()) {
      out->left_out.push_back({resource->name, std::nullopt, at, std::move(reasons)});
      continue;
    }
    std::vector<GroupPlan> kept;
    for (size_t i = 0; i < resource->groups.size(); ++i) {
      const GroupPlan& group = resource->groups[i];
      auto reasons = reasons_against(group.when, group.at.position, scope, unknown);
      if (reasons.empty()) {
        kept.push_back(group);
      } else {
        out->left_out.push_back({resource->name, i, group.at.position, std::move(reasons)});
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
  if (out->left_out.empty()) return plan;
  out->index = RuleIndex(out->resources);
  return out;
}

size_t written_group(const Plan& plan, size_t resource, size_t group) {
  const ResourcePlan& kept = *plan.resources[resource];
  const auto gone = groups_left_out(plan, kept.name);
  if (kept.groups.size() + gone.size() == 1) return 0;
  for (const size_t before : gone) {
    if (before <= group) ++group;
  }
  return group + 1;
}

size_t written_group(const Plan& plan, const LeftOut& left) {
  const size_t groups =
      groups_left_out(plan, left.resource).size() + groups_left(plan, left.resource);
  return left.group && groups > 1 ? *left.group + 1 : 0;
}

}  // namespace patchbay::rules
