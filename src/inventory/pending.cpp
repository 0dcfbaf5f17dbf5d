#include "inventory/pending.h"

#include <algorithm>
#include <set>

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

}  // namespace

std::vector<std::vector<Pending>> pending_of(const rules::Plan& plan,
                                             std::span<const Unanswered> unanswered) {
  std::vector<std::set<Pending>> found(plan.resources.size());
  for (const Unanswered& silent : unanswered) {
    for (const Rule& rule : plan.index.all()) {
      if (!looks_there(plan, rule, silent)) continue;
      found[rule.resource].insert(
          {.what = silent.what, .waited_for = silent.waited_for, .refused = silent.refused});
    }
  }
  std::vector<std::vector<Pending>> pending;
  for (const auto& of_resource : found)
    pending.emplace_back(of_resource.begin(), of_resource.end());
  return pending;
}

}  // namespace patchbay::inventory
