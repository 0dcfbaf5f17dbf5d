#include "inventory/undecided.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

namespace patchbay::inventory {
namespace {

using rules::Rule;

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

std::vector<Rule> undecided_rules(const rules::Plan& plan, const DeviceFacts& facts) {
  std::vector<Rule> undecided;
  if (facts.unread.empty()) return undecided;
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
    undecided.push_back(rule);
    // Matches refer to the representative.
    undecided.push_back(plan.index.representative(rule));
    if (resource.shares_claims) {
      claimed_within = rule.resource;
    } else if (!shares) {
      claimed = true;
    }
  }
  return undecided;
}

std::vector<FactName> facts_not_read_for(const rules::Plan& previous, const rules::Plan& plan,
                                         const DeviceFacts& facts) {
  std::vector<FactName> missing;
  std::ranges::set_difference(compared_facts(plan, facts), compared_facts(previous, facts),
                              std::back_inserter(missing));
  return missing;
}

}  // namespace patchbay::inventory
