#include "inventory/unresponsive_paths.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "inventory/undecided.h"

namespace patchbay::inventory {
namespace {

using rules::Rule;

bool depends_on(const rules::Plan& plan, const Rule& rule, const Unanswered& source) {
  const rules::Matcher& match = plan.group(rule).matcher(rule.role);
  if (source.facts) return match.could_match(*source.facts);
  if (source.patterns.empty()) return match.kind() == RuleKind::subsystem;
  const auto patterns = match.patterns();
  return std::ranges::any_of(source.patterns, [&](const std::string& pattern) {
    return std::ranges::find(patterns, pattern) != patterns.end();
  });
}

/// The rules that wait for the source.
std::vector<Rule> held_up(const rules::Plan& plan, const Unanswered& source) {
  if (source.facts && !source.facts->unread.empty()) return undecided_rules(plan, *source.facts);
  std::vector<Rule> rules;
  std::ranges::copy_if(plan.index.all(), std::back_inserter(rules),
                       [&](const Rule& rule) { return depends_on(plan, rule, source); });
  return rules;
}

}  // namespace

std::vector<std::vector<UnresponsivePath>> unresponsive_of(const rules::Plan& plan,
                                                           std::span<const Unanswered> unanswered) {
  std::vector<std::set<UnresponsivePath>> found(plan.resources.size());
  for (const Unanswered& source : unanswered) {
    for (const Rule& rule : held_up(plan, source)) {
      found[rule.resource].insert(
          {.what = source.what, .slow = source.slow, .refused = source.refused});
    }
  }
  std::vector<std::vector<UnresponsivePath>> unresponsive;
  for (const auto& of_resource : found)
    unresponsive.emplace_back(of_resource.begin(), of_resource.end());
  return unresponsive;
}

}  // namespace patchbay::inventory
