#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "rules/lint/warnings.h"
#include "rules/match/condition_cover.h"
#include "rules/text/position.h"

namespace patchbay::rules {
namespace {

/// Each group is compared with at most this many before it. Without this limit, a configuration
/// with thousands of groups would take seconds.
constexpr size_t kMaxCompared = 512;

struct PrecedingGroup {
  const config::ResourceSpec* resource = nullptr;
  const config::GroupSpec* group = nullptr;
  bool shared = false;
};

using When = std::optional<config::MatchSpec>;

/// Whether `first` matches each node that `second` matches.
bool implies(const When& first, const When& second) {
  return !first || (second && rules::same(*first, *second));
}

/// Whether each matching device is claimed: a device without a text for `by` is left to other
/// groups.
bool claims_all(const config::GroupSpec& group, const config::GroupSpec& later) {
  if (!group.by || group.by->value.find("$(") == std::string::npos) return true;
  return later.by && later.by->value == group.by->value;
}

bool takes_all(const PrecedingGroup& first, const PrecedingGroup& later) {
  const bool one_resource = first.resource == later.resource;
  if (!one_resource && (first.shared || later.shared)) return false;
  // Static names belong to their resource alone.
  if (!later.group->match.static_names.empty()) return false;
  return implies(first.resource->when, later.resource->when) &&
         implies(first.group->when, later.group->when) && claims_all(*first.group, *later.group) &&
         covers(first.group->match, later.group->match);
}

void warn(const PrecedingGroup& first, const PrecedingGroup& later,
          config::Diagnostics& diagnostics) {
  const bool equal = covers(later.group->match, first.group->match);
  const std::string where = location_text(first.group->match.at);
  if (first.resource == later.resource) {
    diagnostics.warning(
        later.group->match.at,
        fmt::format(
            "this group never gets a device: the group at {} is before it and matches all of them",
            where),
        equal ? "remove one of the two, or make the matches differ"
              : "put the group with more conditions first");
    return;
  }
  const std::string_view operand = later.resource->groups.size() > 1 ? "this group of " : "";
  diagnostics.warning(
      later.group->match.at,
      fmt::format("{}'{}' never gets a device: '{}' ({}) is before it and matches all of them",
                  operand, later.resource->name.value, first.resource->name.value, where),
      equal ? "make the matches differ; or write claim: shared in one of the two; for several "
              "containers per device write share: {count: 2}"
            : "put the resource with more conditions first, or exclude its devices from the other "
              "with except:");
}

}  // namespace

void warn_of_unreached(std::span<const config::Spec> specs, config::Diagnostics& diagnostics) {
  std::vector<PrecedingGroup> before;
  for (const config::Spec& spec : specs) {
    for (const config::ResourceSpec& resource : spec.resources) {
      const bool shared = resource.claim && resource.claim->value == config::ClaimMode::shared;
      for (const config::GroupSpec& group : resource.groups) {
        const PrecedingGroup later{&resource, &group, shared};
        const auto taker = std::ranges::find_if(
            before, [&](const PrecedingGroup& first) { return takes_all(first, later); });
        if (taker != before.end()) warn(*taker, later, diagnostics);
        if (before.size() < kMaxCompared) before.push_back(later);
      }
    }
  }
}

}  // namespace patchbay::rules
