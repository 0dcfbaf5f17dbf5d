#include "inventory/identify.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "inventory/id_advice.h"

namespace patchbay::inventory {
namespace {

std::string_view id_of(const MadeUnitPtr& made) { return made->id; }

/// Offers the units of one resource.
class ResourceOffer {
 public:
  ResourceOffer(const rules::Plan& plan, size_t resource, Offered& offered, Refusals& refusals)
      : plan_(plan), resource_(resource), offered_(offered), refusals_(refusals) {}

  /// All candidates with one id; after those whose ids come before it.
  void add(std::span<const MadeUnitPtr> candidates);
  [[nodiscard]] MadeUnits& units() { return units_; }

 private:
  void add(const MadeUnitPtr& candidate);
  [[nodiscard]] std::string advice_on(std::span<const MadeUnitPtr> candidates) const;
  void refuse(const MadeUnit& made, std::string reason) {
    refusals_.push_back({made.members->group, made.device(), made.id, std::move(reason)});
  }

  const rules::Plan& plan_;
  size_t resource_;
  Offered& offered_;
  Refusals& refusals_;
  MadeUnits units_;
  size_t listed_ = 0;
};

void ResourceOffer::add(const MadeUnitPtr& candidate) {
  const MadeUnit& made = *candidate;
  const size_t counts = counted(made.listed(), made.nodes.size());
  if (listed_ + counts > kMaxUnits) {
    return refuse(made, fmt::format("a resource can list {} units and has more", kMaxUnits));
  }
  if (made.parts == 0 && has_part(units_, made.id)) {
    return refuse(made, fmt::format("the id '{}' is also that of a replica", made.id));
  }
  const auto [owner, is_new] = offered_.owners.emplace(made.id, resource_);
  if (!is_new) {
    return refuse(made, fmt::format("the id '{}' is already one of {}", made.id,
                                    plan_.resources[owner->second]->name));
  }
  listed_ += counts;
  units_.push_back(candidate);
}

std::string ResourceOffer::advice_on(std::span<const MadeUnitPtr> candidates) const {
  std::vector<const DeviceFacts*> devices;
  for (const MadeUnitPtr& made : candidates) {
    devices.push_back(made->members->devices.front().facts.get());
  }
  const size_t group = candidates.front()->members->group;
  return advice_on_equal_ids(plan_.resources[resource_]->groups[group], devices);
}

void ResourceOffer::add(std::span<const MadeUnitPtr> candidates) {
  if (candidates.size() == 1) return add(candidates.front());
  const std::string advice = advice_on(candidates);
  for (const MadeUnitPtr& candidate : candidates) {
    const bool is_first = &candidate == &candidates.front();
    const MadeUnitPtr& other = is_first ? candidates[1] : candidates.front();
    refuse(*candidate, fmt::format("the id '{}' is also that of {}{}", candidate->id,
                                   printable(other->device()), advice));
  }
}

}  // namespace

bool has_part(const MadeUnits& units, std::string_view id) {
  const auto split = split_part_id(id);
  if (!split) return false;
  const auto shared = std::ranges::lower_bound(units, split->unit, natural_less, id_of);
  return shared != units.end() && id_of(*shared) == split->unit && split->part < (*shared)->parts;
}

Offered Identifier::identify(const rules::Plan& plan, std::vector<MadeUnits> candidates,
                             RefusalsByResource& refusals) {
  known_.resize(candidates.size());
  Offered offered;
  size_t most = 0;
  for (const MadeUnits& units : candidates) most += units.size();
  offered.owners.reserve(most);
  for (size_t resource = 0; resource < candidates.size(); ++resource) {
    Known& known = known_[resource];
    if (known.candidates != candidates[resource]) {
      known.candidates = std::move(candidates[resource]);
      known.by_id = known.candidates;
      // Ids often follow the devices' names, and then they are in order.
      if (!std::ranges::is_sorted(known.by_id, natural_less, id_of)) {
        std::ranges::stable_sort(known.by_id, natural_less, id_of);
      }
    }
    ResourceOffer offer(plan, resource, offered, refusals[resource]);
    offer.units().reserve(known.by_id.size());
    for (auto first = known.by_id.begin(); first != known.by_id.end();) {
      const auto last = std::find_if(first, known.by_id.end(), [&](const MadeUnitPtr& unit) {
        return unit->id != (*first)->id;
      });
      offer.add({first, last});
      first = last;
    }
    if (!known.offered || *known.offered != offer.units()) {
      known.offered = std::make_shared<const MadeUnits>(std::move(offer.units()));
    }
    offered.by_resource.push_back(known.offered);
  }
  return offered;
}

}  // namespace patchbay::inventory
