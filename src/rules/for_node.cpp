#include "rules/for_node.h"

#include <utility>

namespace patchbay::rules {
namespace {

/// Why it is not for the node; empty if it is.
std::vector<Mismatch> reasons_against(const std::optional<NodeCondition>& when,
                                      const NodeFacts& facts, const std::string& node) {
  return when ? when->mismatches(facts, node) : std::vector<Mismatch>{};
}

}  // namespace

NodeQuery node_query(const Plan& plan) {
  NodeQuery query;
  for (const ResourcePlan& resource : plan.resources) {
    if (resource.when) resource.when->query(query);
    for (const GroupPlan& group : resource.groups) {
      if (group.when) group.when->query(query);
    }
  }
  return query;
}

PlanPtr for_node(const PlanPtr& plan, const NodeFacts& facts) {
  auto out = std::make_shared<Plan>();
  out->node = plan->node;
  for (const ResourcePlan& resource : plan->resources) {
    if (auto reasons = reasons_against(resource.when, facts, plan->node); !reasons.empty()) {
      out->left_out.push_back({resource.name, std::nullopt, resource.at, std::move(reasons)});
      continue;
    }
    ResourcePlan kept = resource;
    kept.groups.clear();
    for (size_t i = 0; i < resource.groups.size(); ++i) {
      const GroupPlan& group = resource.groups[i];
      auto reasons = reasons_against(group.when, facts, plan->node);
      if (reasons.empty()) {
        kept.groups.push_back(group);
      } else {
        out->left_out.push_back({resource.name, i, group.at, std::move(reasons)});
      }
    }
    if (!kept.groups.empty()) out->resources.push_back(std::move(kept));
  }
  if (out->left_out.empty()) return plan;
  out->index = RuleIndex(out->resources);
  return out;
}

}  // namespace patchbay::rules
