#include <algorithm>
#include <utility>
#include <vector>

#include "rules/compile.h"

namespace patchbay::rules {
namespace {

void sort_unique(std::vector<std::string>& values) {
  std::ranges::sort(values);
  values.erase(std::ranges::unique(values).begin(), values.end());
}

/// A group and what it wants, worked out once.
struct GroupWants {
  const GroupPlan* group = nullptr;
  WantedFacts wanted;
};

void append(std::vector<std::string>& into, const std::vector<std::string>& from) {
  into.insert(into.end(), from.begin(), from.end());
}

void merge(WantedFacts& into, const WantedFacts& from) {
  into.relevant = true;
  into.tags = into.tags || from.tags;
  into.links = into.links || from.links;
  into.driver = into.driver || from.driver;
  into.numa_node = into.numa_node || from.numa_node;
  into.iommu_group = into.iommu_group || from.iommu_group;
  if (!from.above.empty() && into.above.empty()) into.above.emplace_back();
  if (!from.above.empty()) merge(into.above.front(), from.above.front());
  append(into.usb, from.usb);
  append(into.pci, from.pci);
  append(into.attributes, from.attributes);
  append(into.properties, from.properties);
}

void tidy(WantedFacts& wanted) {
  for (auto* names : {&wanted.usb, &wanted.pci, &wanted.attributes, &wanted.properties}) {
    sort_unique(*names);
  }
  for (WantedFacts& above : wanted.above) tidy(above);
}

bool wants_databases_above(const WantedFacts& wanted) {
  return std::ranges::any_of(wanted.above, [](const WantedFacts& above) {
    return above.tags || above.links || !above.properties.empty();
  });
}

WantedFacts wanted_by(const std::vector<GroupWants>& groups, const DeviceFacts& cheap) {
  WantedFacts wanted;
  for (const GroupWants& group : groups) {
    if (group.group->match.could_match(cheap)) merge(wanted, group.wanted);
  }
  tidy(wanted);
  return wanted;
}

void add_patterns(HostQuery& query, const Matcher& match) {
  auto& patterns = match.kind() == RuleKind::sysfs ? query.sysfs_patterns : query.glob_patterns;
  for (const std::string& pattern : match.patterns()) patterns.push_back(pattern);
  for (std::string& name : match.subsystems()) query.subsystems.push_back(std::move(name));
}

}  // namespace

HostQueryPtr host_query(const PlanPtr& plan) {
  auto query = std::make_shared<HostQuery>();
  std::vector<GroupWants> groups;
  for (const ResourcePlan& resource : plan->resources) {
    for (const GroupPlan& group : resource.groups) {
      add_patterns(*query, group.match);
      groups.push_back({&group, group.wanted()});
      query->databases_above =
          query->databases_above || wants_databases_above(groups.back().wanted);
    }
  }
  sort_unique(query->sysfs_patterns);
  sort_unique(query->glob_patterns);
  sort_unique(query->subsystems);
  if (std::ranges::find(query->subsystems, "*") != query->subsystems.end()) {
    query->subsystems = {"*"};
  }
  query->wanted = [plan, groups = std::move(groups)](const DeviceFacts& cheap) {
    return wanted_by(groups, cheap);
  };
  return query;
}

}  // namespace patchbay::rules
