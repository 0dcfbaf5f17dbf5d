#include "inventory/identify.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::inventory {
namespace {

/// Refuses what cannot be a unit; the rest in natural order of ids.
std::vector<Candidate> usable(const std::vector<Candidate>& candidates,
                              std::vector<Refusal>& refusals) {
  std::vector<Candidate> out;
  for (const Candidate& candidate : candidates) {
    const Match& match = *candidate.match;
    if (match.fault.empty()) {
      out.push_back(candidate);
    } else {
      refusals.push_back(
          {match.resource, match.group, candidate.device->facts->key, match.id, match.fault});
    }
  }
  std::ranges::stable_sort(out, natural_less, [](const Candidate& candidate) -> std::string_view {
    return candidate.match->id;
  });
  return out;
}

/// Offers the units of one resource.
class ResourceOffer {
 public:
  ResourceOffer(const rules::Plan& plan, size_t resource, Offered& offered)
      : plan_(plan), resource_(resource), offered_(offered) {}

  /// All candidates with one id.
  void add(std::span<const Candidate> candidates);

 private:
  void refuse(const Candidate& candidate, std::string reason) {
    offered_.refusals.push_back({resource_, candidate.match->group, candidate.device->facts->key,
                                 candidate.match->id, std::move(reason)});
  }

  const rules::Plan& plan_;
  size_t resource_;
  Offered& offered_;
};

void ResourceOffer::add(std::span<const Candidate> candidates) {
  const std::string& id = candidates.front().match->id;
  if (candidates.size() > 1) {
    for (const Candidate& candidate : candidates) {
      const bool is_first = &candidate == &candidates.front();
      const Candidate& other = is_first ? candidates[1] : candidates.front();
      refuse(candidate, fmt::format("the id '{}' is also that of {}", id,
                                    printable(other.device->facts->key)));
    }
    return;
  }
  std::vector<Unit>& units = offered_.by_resource[resource_];
  if (units.size() == kMaxUnits) {
    refuse(candidates.front(), fmt::format("a resource can list {} units and has more", kMaxUnits));
    return;
  }
  const auto [owner, is_new] = offered_.owners.emplace(id, resource_);
  if (!is_new) {
    refuse(candidates.front(), fmt::format("the id '{}' is already one of {}", id,
                                           plan_.resources[owner->second].name));
    return;
  }
  units.push_back(
      {.id = id, .healthy = true, .reason = {}, .members = candidates.front().match->members});
}

}  // namespace

void sort_refusals(std::vector<Refusal>& refusals) {
  std::ranges::stable_sort(refusals, [](const Refusal& a, const Refusal& b) {
    return a.resource != b.resource ? a.resource < b.resource : natural_less(a.device, b.device);
  });
}

Offered identify(const rules::Plan& plan, Claims claims) {
  Offered offered;
  offered.by_resource.resize(plan.resources.size());
  offered.refusals = std::move(claims.refusals);
  for (size_t resource = 0; resource < plan.resources.size(); ++resource) {
    const auto candidates = usable(claims.by_resource[resource], offered.refusals);
    ResourceOffer offer(plan, resource, offered);
    for (auto first = candidates.begin(); first != candidates.end();) {
      const auto last = std::find_if(first, candidates.end(), [&](const Candidate& candidate) {
        return candidate.match->id != first->match->id;
      });
      offer.add({first, last});
      first = last;
    }
  }
  sort_refusals(offered.refusals);
  return offered;
}

}  // namespace patchbay::inventory
