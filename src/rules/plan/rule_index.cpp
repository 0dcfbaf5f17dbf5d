#include "rules/plan/rule_index.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "rules/plan/plan.h"

namespace patchbay::rules {
namespace {

bool is_plain(std::string_view pattern) {
  return pattern.find_first_of("*?[\\") == std::string_view::npos;
}

void append(std::vector<Rule>& into, const std::vector<Rule>& from) {
  std::ranges::copy(from, std::back_inserter(into));
}

template <typename Rules>
void append(std::vector<Rule>& into, const Rules& rules, const std::string& key) {
  if (const auto found = rules.find(key); found != rules.end()) append(into, found->second);
}

const MemberPlan& member_of(const std::vector<ResourcePlanPtr>& resources, const Rule& rule) {
  return resources[rule.resource]->groups[rule.group].members[rule.role - 1];
}

/// Whether the rendered text differs between resources.
bool names_resource(const Template& by) {
  return std::ranges::any_of(by.uses(), [](const Template::VariableUse& use) {
    return use.variable->variable == Variable::resource;
  });
}

}  // namespace

void RuleIndex::find_equals(const std::vector<ResourcePlanPtr>& resources) {
  std::map<std::string, std::vector<Rule>> firsts;  // Key: text as written, to limit the
                                                    // comparisons.
  for (const Rule& rule : all_) {
    if (rule.role == 0) continue;
    const MemberPlan& member = member_of(resources, rule);
    if (names_resource(member.by)) continue;
    auto& near = firsts[member.match.to_text() + '\n' + member.by.text()];
    const auto first = std::ranges::find_if(near, [&](const Rule& other) {
      const MemberPlan& before = member_of(resources, other);
      return before.match == member.match && before.by == member.by;
    });
    if (first == near.end()) {
      near.push_back(rule);
    } else {
      representatives_.emplace(rule, *first);
    }
  }
}

Rule RuleIndex::representative(const Rule& rule) const {
  const auto found = representatives_.find(rule);
  return found == representatives_.end() ? rule : found->second;
}

RuleIndex::RuleIndex(const std::vector<ResourcePlanPtr>& resources) {
  const auto add = [this](const Matcher& match, const Rule& rule) {
    const auto subsystems = match.subsystems();
    if (!std::ranges::all_of(subsystems, is_plain)) {
      any_subsystem_.push_back(rule);
    } else {
      for (const std::string& subsystem : subsystems) by_subsystem_[subsystem].push_back(rule);
    }
    Rules& by_pattern = match.kind() == RuleKind::sysfs  ? by_sysfs_pattern_
                        : match.kind() == RuleKind::glob ? by_glob_pattern_
                                                         : by_static_name_;
    for (const std::string& pattern : match.patterns()) by_pattern[pattern].push_back(rule);
  };
  for (size_t resource = 0; resource < resources.size(); ++resource) {
    const auto& groups = resources[resource]->groups;
    for (size_t group = 0; group < groups.size(); ++group) {
      for (Role role = 0; role < groups[group].roles(); ++role) {
        all_.push_back({resource, group, role});
      }
    }
  }
  find_equals(resources);
  for (const Rule& rule : all_) {
    if (representatives_.contains(rule)) continue;
    add(resources[rule.resource]->groups[rule.group].matcher(rule.role), rule);
  }
}

std::vector<Rule> RuleIndex::candidates(const DeviceFacts& cheap) const {
  std::vector<Rule> rules;
  switch (cheap.kind) {
    case DeviceKind::kernel_device:
      append(rules, by_subsystem_, cheap.subsystem);
      append(rules, any_subsystem_);
      [[fallthrough]];
    case DeviceKind::sysfs_directory:
      for (const FoundBy& found : cheap.found_by) append(rules, by_sysfs_pattern_, found.pattern);
      break;
    case DeviceKind::path:
      for (const FoundBy& found : cheap.found_by) append(rules, by_glob_pattern_, found.pattern);
      break;
    case DeviceKind::static_name:
      append(rules, by_static_name_, cheap.name);
      break;
    case DeviceKind::node:
      break;
  }
  if (!std::ranges::is_sorted(rules)) std::ranges::sort(rules);
  rules.erase(std::ranges::unique(rules).begin(), rules.end());
  return rules;
}

}  // namespace patchbay::rules
