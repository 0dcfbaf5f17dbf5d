#include "rules/rule_index.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "rules/plan.h"

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

}  // namespace

RuleIndex::RuleIndex(const std::vector<ResourcePlan>& resources) {
  const auto add = [this](const Matcher& match, const Rule& rule) {
    all_.push_back(rule);
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
    const auto& groups = resources[resource].groups;
    for (size_t group = 0; group < groups.size(); ++group) {
      for (Role role = 0; role < groups[group].roles(); ++role) {
        add(groups[group].matcher(role), {resource, group, role});
      }
    }
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
  }
  std::ranges::sort(rules);
  rules.erase(std::ranges::unique(rules).begin(), rules.end());
  return rules;
}

}  // namespace patchbay::rules
