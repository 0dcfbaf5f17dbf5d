#include "inventory/unresponsive_paths.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace patchbay::inventory {
namespace {

using rules::Rule;

bool depends_on(const rules::Plan& plan, const Rule& rule, const Unresponsive& source) {
  const rules::Matcher& match = plan.group(rule).matcher(rule.role);
  if (source.facts) return match.could_match(*source.facts);
  if (source.patterns.empty()) return match.kind() == RuleKind::subsystem;
  const auto patterns = match.patterns();
  return std::ranges::any_of(source.patterns, [&](const std::string& pattern) {
    return std::ranges::find(patterns, pattern) != patterns.end();
  });
}

/// The rules that wait for the source.
std::vector<Rule> held_up(const rules::Plan& plan, const Unresponsive& source) {
  if (source.facts && !source.facts->unread.empty())
    return rules_with_unread_facts(plan, *source.facts);
  std::vector<Rule> rules;
  std::ranges::copy_if(plan.index.all(), std::back_inserter(rules),
                       [&](const Rule& rule) { return depends_on(plan, rule, source); });
  return rules;
}

bool needs_unread(const rules::GroupPlan& group, rules::Role role, const DeviceFacts& facts) {
  const WantedFacts wanted = group.wanted(role);
  const rules::Matcher& match = group.matcher(role);
  std::vector<std::string> named;
  match.add_files(facts, named);
  std::vector<std::string> files;
  match.want_files(facts, files);
  return std::ranges::any_of(facts.unread, [&](const FactName& unread) {
    if (unread.fact != Fact::file) return std::ranges::binary_search(wanted.facts, unread);
    if (unread.argument.empty()) return !named.empty();
    return std::ranges::find(files, unread.argument) != files.end();
  });
}

/// The costly facts that the rules of the plan compare, including files by their path.
std::vector<FactName> compared_facts(const rules::Plan& plan, const DeviceFacts& facts) {
  std::vector<FactName> compared;
  std::vector<std::string> files;
  for (const Rule& rule : plan.index.all()) {
    const rules::GroupPlan& group = plan.resources[rule.resource]->groups[rule.group];
    std::ranges::copy(group.wanted(rule.role).facts, std::back_inserter(compared));
    group.matcher(rule.role).add_files(facts, files);
  }
  for (std::string& file : files) {
    compared.push_back({.fact = Fact::file, .argument = std::move(file)});
  }
  std::ranges::sort(compared);
  const auto repeated = std::ranges::unique(compared);
  compared.erase(repeated.begin(), repeated.end());
  return compared;
}

}  // namespace

std::vector<Rule> rules_with_unread_facts(const rules::Plan& plan, const DeviceFacts& facts) {
  std::vector<Rule> rules;
  if (facts.unread.empty()) return rules;
  bool claimed = false;                  // An earlier rule may claim the device.
  std::optional<size_t> claimed_within;  // The same for a resource that shares its claims.
  for (const Rule& rule : plan.index.all()) {
    const rules::ResourcePlan& resource = *plan.resources[rule.resource];
    const rules::GroupPlan& group = resource.groups[rule.group];
    if (!group.matcher(rule.role).could_match(facts)) continue;
    const bool shares = group.shares_claims(rule.role);
    const bool waits_for_claim =
        resource.shares_claims ? claimed_within == rule.resource : claimed && !shares;
    if (!waits_for_claim && !needs_unread(group, rule.role, facts)) continue;
    rules.push_back(rule);
    // Matches refer to the representative.
    rules.push_back(plan.index.representative(rule));
    if (resource.shares_claims) {
      claimed_within = rule.resource;
    } else if (!shares) {
      claimed = true;
    }
  }
  return rules;
}

std::vector<FactName> facts_not_read_for(const rules::Plan& previous, const rules::Plan& plan,
                                         const DeviceFacts& facts) {
  std::vector<FactName> missing;
  std::ranges::set_difference(compared_facts(plan, facts), compared_facts(previous, facts),
                              std::back_inserter(missing));
  return missing;
}

std::vector<std::vector<UnresponsivePath>> unresponsive_of(
    const rules::Plan& plan, std::span<const Unresponsive> unresponsive) {
  std::vector<std::set<UnresponsivePath>> found(plan.resources.size());
  for (const Unresponsive& source : unresponsive) {
    for (const Rule& rule : held_up(plan, source)) {
      found[rule.resource].insert(
          {.what = source.what, .slow = source.slow, .refused = source.refused});
    }
  }
  std::vector<std::vector<UnresponsivePath>> all;
  for (const auto& of_resource : found) all.emplace_back(of_resource.begin(), of_resource.end());
  return all;
}

}  // namespace patchbay::inventory
