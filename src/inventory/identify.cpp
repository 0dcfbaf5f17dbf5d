#include "inventory/identify.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::inventory {
namespace {

/// Offers the units of one resource.
class ResourceOffer {
 public:
  ResourceOffer(const rules::Plan& plan, size_t resource, Offered& offered,
                std::vector<Refusal>& refusals)
      : plan_(plan), resource_(resource), offered_(offered), refusals_(refusals) {}

  /// All candidates with one id.
  void add(std::span<const Candidate> candidates);

 private:
  void add(const Candidate& candidate);
  void refuse(const Candidate& candidate, std::string reason) {
    refusals_.push_back(
        {resource_, candidate.group, candidate.device(), candidate.made->id, std::move(reason)});
  }

  const rules::Plan& plan_;
  size_t resource_;
  Offered& offered_;
  std::vector<Refusal>& refusals_;
  size_t listed_ = 0;
};

void ResourceOffer::add(const Candidate& candidate) {
  const MadeUnit& made = *candidate.made;
  Unit unit{.id = made.id,
            .id_source = made.id_source,
            .nodes = made.nodes,
            .parts = made.parts,
            .healthy = true,
            .reason = {},
            .members = made.members,
            .checks = made.checks};
  if (listed_ + counted(unit) > kMaxUnits) {
    return refuse(candidate, fmt::format("a resource can list {} units and has more", kMaxUnits));
  }
  if (unit.parts == 0 && find_listed(offered_.by_resource[resource_], unit.id)) {
    return refuse(candidate, fmt::format("the id '{}' is also that of a replica", unit.id));
  }
  const auto [owner, is_new] = offered_.owners.emplace(unit.id, resource_);
  if (!is_new) {
    return refuse(candidate, fmt::format("the id '{}' is already one of {}", unit.id,
                                         plan_.resources[owner->second].name));
  }
  listed_ += counted(unit);
  offered_.by_resource[resource_].push_back(std::move(unit));
}

void ResourceOffer::add(std::span<const Candidate> candidates) {
  if (candidates.size() == 1) return add(candidates.front());
  for (const Candidate& candidate : candidates) {
    const bool is_first = &candidate == &candidates.front();
    const Candidate& other = is_first ? candidates[1] : candidates.front();
    refuse(candidate, fmt::format("the id '{}' is also that of {}", candidate.made->id,
                                  printable(other.device())));
  }
}

}  // namespace

void sort_refusals(std::vector<Refusal>& refusals) {
  std::ranges::stable_sort(refusals, [](const Refusal& a, const Refusal& b) {
    return a.resource != b.resource ? a.resource < b.resource : natural_less(a.device, b.device);
  });
}

Offered identify(const rules::Plan& plan, std::vector<std::vector<Candidate>> candidates,
                 std::vector<Refusal>& refusals) {
  Offered offered;
  offered.by_resource.resize(candidates.size());
  for (size_t resource = 0; resource < candidates.size(); ++resource) {
    auto& units = candidates[resource];
    const auto id_of = [](const Candidate& unit) -> std::string_view { return unit.made->id; };
    std::ranges::stable_sort(units, natural_less, id_of);
    ResourceOffer offer(plan, resource, offered, refusals);
    for (auto first = units.begin(); first != units.end();) {
      const auto last = std::find_if(
          first, units.end(), [&](const Candidate& unit) { return id_of(unit) != id_of(*first); });
      offer.add({first, last});
      first = last;
    }
  }
  return offered;
}

}  // namespace patchbay::inventory
