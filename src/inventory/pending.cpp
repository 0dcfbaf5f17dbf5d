#include "inventory/pending.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "inventory/undecided.h"

namespace patchbay::inventory {
namespace {

using rules::Rule;

bool looks_there(const rules::Plan& plan, const Rule& rule, const Unanswered& silent) {
  const rules::Matcher& match = plan.group(rule).matcher(rule.role);
  if (silent.facts) return match.could_match(*silent.facts);
  if (silent.patterns.empty()) return match.kind() == RuleKind::subsystem;
  const auto patterns = match.patterns();
  return std::ranges::any_of(silent.patterns, [&](const std::string& pattern) {
    return std::ranges::find(patterns, pattern) != patterns.end();
  });
}

/// The rules that wait for it.
std::vector<Rule> held_up(const rules::Plan& plan, const Unanswered& silent) {
  if (silent.facts && !silent.facts->unread.empty()) return undecided_rules(plan, *silent.facts);
  std::vector<Rule> rules;
  std::ranges::copy_if(plan.index.all(), std::back_inserter(rules),
                       [&](const Rule& rule) { return looks_there(plan, rule, silent); });
  return rules;
}

}  // namespace

std::vector<std::vector<Pending>> pending_of(const rules::Plan& plan,
                                             std::span<const Unanswered> unanswered) {
  std::vector<std::set<Pending>> found(plan.resources.size());
  for (const Unanswered& silent : unanswered) {
    for (const Rule& rule : held_up(plan, silent)) {
      found[rule.resource].insert(
          {.what = silent.what, .slow = silent.slow, .refused = silent.refused});
    }
  }
  std::vector<std::vector<Pending>> pending;
  for (const auto& of_resource : found)
    pending.emplace_back(of_resource.begin(), of_resource.end());
  return pending;
}

}  // namespace patchbay::inventory
