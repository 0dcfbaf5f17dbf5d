#include "rules/unreached.h"

#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "rules/condition_cover.h"
#include "rules/position.h"

namespace patchbay::rules {
namespace {

struct Group {
  const config::ResourceSpec* resource = nullptr;
  const config::GroupSpec* group = nullptr;
  bool shared = false;
};

using When = std::optional<config::MatchSpec>;

/// Whether the first is met on each node on which the second is.
bool is_met_too(const When& first, const When& second) {
  return !first || (second && same(*first, *second));
}

/// Whether each device that matches is claimed: what gives no text for `by` is left to others.
bool claims_all(const config::GroupSpec& group, const config::GroupSpec& later) {
  if (!group.by || group.by->value.find("$(") == std::string::npos) return true;
  return later.by && later.by->value == group.by->value;
}

bool takes_all(const Group& first, const Group& later) {
  const bool one_resource = first.resource == later.resource;
  if (!one_resource && (first.shared || later.shared)) return false;
  // Static names are of their resource alone.
  if (!later.group->match.static_names.empty()) return false;
  return is_met_too(first.resource->when, later.resource->when) &&
         is_met_too(first.group->when, later.group->when) &&
         claims_all(*first.group, *later.group) && covers(first.group->match, later.group->match);
}

void warn(const Group& first, const Group& later, config::Diagnostics& diagnostics) {
  const bool equal = covers(later.group->match, first.group->match);
  const std::string where = place(first.group->match.at);
  if (first.resource == later.resource) {
    diagnostics.warning(later.group->match.at,
                        fmt::format("this group never gets a device: the group at {} comes first "
                                    "and matches all of them",
                                    where),
                        equal ? "leave one of the two out, or let the matches differ"
                              : "put the group with more conditions first");
    return;
  }
  const std::string_view part = later.resource->groups.size() > 1 ? "this group of " : "";
  diagnostics.warning(
      later.group->match.at,
      fmt::format("{}'{}' never gets a device: '{}' ({}) comes first and matches all of them", part,
                  later.resource->name.value, first.resource->name.value, where),
      equal ? "let the matches differ; or write claim: shared in one of the two, so that both have "
              "the devices; for several containers with one device write share: {count: 2}"
            : "put the resource with more conditions first, or except its devices from the other");
}

}  // namespace

void warn_of_unreached(std::span<const config::Spec> specs, config::Diagnostics& diagnostics) {
  std::vector<Group> groups;
  for (const config::Spec& spec : specs) {
    for (const config::ResourceSpec& resource : spec.resources) {
      const bool shared = resource.claim && resource.claim->value == config::Claim::shared;
      for (const config::GroupSpec& group : resource.groups) {
        const Group later{&resource, &group, shared};
        for (const Group& first : groups) {
          if (!takes_all(first, later)) continue;
          warn(first, later, diagnostics);
          break;
        }
        groups.push_back(later);
      }
    }
  }
}

}  // namespace patchbay::rules
