#include "inventory/near_miss.h"

#include <algorithm>
#include <utility>

namespace patchbay::inventory {
namespace {

/// Whether the resource has no units and no refusals. A resource that waits for an unresponsive
/// path is excluded: a report about it would wait, too.
bool has_nothing(const ResolvedResource& resource) {
  return resource.unresponsive.empty() && resource.snapshot->units.empty() &&
         resource.refusals.empty();
}

NearMiss near_miss(const rules::Matcher& match, const rules::Rule& rule,
                   std::span<const DeviceFactsPtr> entities) {
  NearMiss miss{.rule = rule};
  for (const DeviceFactsPtr& entity : entities) {
    if (!match.is_in_scope(*entity)) continue;
    ++miss.considered;
    auto mismatches = match.mismatches(*entity);
    // The device appeared between the two scans.
    if (mismatches.empty()) continue;
    if (miss.nearest && miss.mismatches.size() <= mismatches.size()) continue;
    miss.nearest = entity;
    miss.mismatches = std::move(mismatches);
  }
  return miss;
}

}  // namespace

rules::Plan plan_of_unmatched(const rules::Plan& plan, const Resolution& resolution) {
  rules::Plan out;
  for (size_t resource = 0; resource < plan.resources.size(); ++resource) {
    if (!has_nothing(resolution.resources[resource])) continue;
    auto alone = std::make_shared<rules::ResourcePlan>(*plan.resources[resource]);
    for (rules::GroupPlan& group : alone->groups) group.members.clear();
    out.resources.push_back(std::move(alone));
  }
  out.index = rules::RuleIndex(out.resources);
  return out;
}

std::vector<NearMiss> near_misses(const rules::Plan& plan, const Resolution& resolution,
                                  std::span<const DeviceFactsPtr> entities) {
  std::vector<NearMiss> misses;
  for (size_t resource = 0; resource < plan.resources.size(); ++resource) {
    if (!has_nothing(resolution.resources[resource])) continue;
    const auto& groups = plan.resources[resource]->groups;
    for (size_t group = 0; group < groups.size(); ++group) {
      misses.push_back(
          near_miss(groups[group].match, {.resource = resource, .group = group}, entities));
    }
  }
  return misses;
}

}  // namespace patchbay::inventory
