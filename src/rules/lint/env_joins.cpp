#include <cstddef>

#include <fmt/format.h>

#include "base/text.h"
#include "rules/lint/warnings.h"
#include "rules/plan/plan.h"
#include "rules/text/position.h"

namespace patchbay::rules {
namespace {

/// Whether both groups can be offered on one node. Two different conditions are assumed to exclude
/// each other.
bool can_be_together(const GroupPlan& a, const GroupPlan& b) {
  return !a.when || !b.when || *a.when == *b.when;
}

void check(const EnvEntry& env, const GroupPlan& before, config::Diagnostics& diagnostics) {
  for (const EnvEntry& other : before.envs) {
    if (other.name.text() != env.name.text() || other.join == env.join) continue;
    diagnostics.error(
        env.name.at(),
        fmt::format("env '{}' is joined with '{}', but at {} with '{}'", env.name.text(),
                    printable(env.join), location_text(other.name.at()), printable(other.join)),
        "units of both groups can come into one container: give both the same join:, or the two "
        "different names");
    return;
  }
}

}  // namespace

void check_env_joins(const ResourcePlan& resource, config::Diagnostics& diagnostics) {
  for (size_t later = 1; later < resource.groups.size(); ++later) {
    const GroupPlan& group = resource.groups[later];
    for (const EnvEntry& env : group.envs) {
      if (!is_same_for_all_units(env.name)) continue;
      for (size_t earlier = 0; earlier < later; ++earlier) {
        const GroupPlan& before = resource.groups[earlier];
        if (can_be_together(group, before)) check(env, before, diagnostics);
      }
    }
  }
}

}  // namespace patchbay::rules
