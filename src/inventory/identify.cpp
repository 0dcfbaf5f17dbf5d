#include "inventory/identify.h"

#include <algorithm>
#include <map>
#include <memory_resource>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "inventory/id_advice.h"

namespace patchbay::inventory {
namespace {

std::string_view id_of(const MadeUnitPtr& made) { return made->id; }

MadeUnits::const_iterator find(const MadeUnits& units, std::string_view id) {
  const auto at = std::ranges::lower_bound(units, id, natural_less, id_of);
  return at != units.end() && (*at)->id == id ? at : units.end();
}

size_t counted_as(const MadeUnit& made) { return counted(made.listed(), made.nodes.size()); }

/// Which resource has an id.
using Owners = std::pmr::unordered_map<std::string_view, size_t>;

/// Offers the units of one resource.
class ResourceOffer {
 public:
  ResourceOffer(const rules::Plan& plan, size_t resource, Owners& owners, Refusals& refusals)
      : plan_(plan), resource_(resource), owners_(owners), refusals_(refusals) {}

  /// All candidates with one id; after those whose ids come before it.
  void add(std::span<const MadeUnitPtr> candidates);
  [[nodiscard]] MadeUnits& units() { return units_; }
  [[nodiscard]] size_t listed() const { return listed_; }

 private:
  void add(const MadeUnitPtr& candidate);
  [[nodiscard]] std::string advice_on(std::span<const MadeUnitPtr> candidates) const;
  void refuse(const MadeUnit& made, std::string reason) {
    refusals_.push_back({made.members->group, made.device(), made.id, std::move(reason)});
  }

  const rules::Plan& plan_;
  size_t resource_;
  Owners& owners_;
  Refusals& refusals_;
  MadeUnits units_;
  size_t listed_ = 0;
};

void ResourceOffer::add(const MadeUnitPtr& candidate) {
  const MadeUnit& made = *candidate;
  const size_t counts = counted_as(made);
  if (listed_ + counts > kMaxUnits) {
    return refuse(made, fmt::format("a resource can list {} units and has more", kMaxUnits));
  }
  if (made.parts == 0 && has_part(units_, made.id)) {
    return refuse(made, fmt::format("the id '{}' is also that of a replica", made.id));
  }
  // Within a resource they are told apart before.
  if (plan_.resources.size() > 1) {
    const auto [owner, is_new] = owners_.emplace(made.id, resource_);
    if (!is_new) {
      return refuse(made, fmt::format("the id '{}' is already one of {}", made.id,
                                      plan_.resources[owner->second]->name));
    }
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
  const auto shared = find(units, split->unit);
  return shared != units.end() && split->part < (*shared)->parts;
}

void Identifier::identify(const rules::Plan& plan, std::vector<MadeUnits> candidates,
                          RefusalsByResource& refusals) {
  known_.resize(candidates.size());
  offered_.resize(candidates.size());
  std::pmr::monotonic_buffer_resource memory;
  Owners owners(&memory);
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
    ResourceOffer offer(plan, resource, owners, refusals[resource]);
    offer.units().reserve(known.by_id.size());
    for (auto first = known.by_id.begin(); first != known.by_id.end();) {
      const auto last = std::find_if(first, known.by_id.end(), [&](const MadeUnitPtr& unit) {
        return unit->id != (*first)->id;
      });
      offer.add({first, last});
      first = last;
    }
    known.listed = offer.listed();
    MadeUnitsPtr& offered = offered_[resource];
    if (!offered || *offered != offer.units()) {
      offered = std::make_shared<const MadeUnits>(std::move(offer.units()));
    }
  }
}

bool Identifier::change(std::span<const CandidateChange> changes) {
  struct Next {
    MadeUnits units;
    size_t listed = 0;
  };
  std::map<size_t, Next> next;
  for (const CandidateChange& change : changes) {
    if (next.contains(change.resource)) continue;
    next.emplace(change.resource, Next{*offered_[change.resource], known_[change.resource].listed});
  }
  for (const CandidateChange& change : changes) {
    if (!change.was) continue;
    auto& [units, listed] = next[change.resource];
    const auto at = find(units, change.was->id);
    if (at == units.end() || *at != change.was) return false;
    units.erase(at);
    listed -= counted_as(*change.was);
  }
  const auto is_taken = [&](std::string_view id) {
    for (size_t resource = 0; resource < offered_.size(); ++resource) {
      const auto changed = next.find(resource);
      const MadeUnits& units = changed != next.end() ? changed->second.units : *offered_[resource];
      if (find(units, id) != units.end()) return true;
    }
    return false;
  };
  for (const CandidateChange& change : changes) {
    if (!change.now) continue;
    const MadeUnit& made = *change.now;
    auto& [units, listed] = next[change.resource];
    listed += counted_as(made);
    // A shared unit lists ids of parts, which may be others' ids.
    if (!made.fault.empty() || made.parts > 0 || split_part_id(made.id)) return false;
    if (listed > kMaxUnits || is_taken(made.id)) return false;
    units.insert(std::ranges::lower_bound(units, made.id, natural_less, id_of), change.now);
  }
  for (auto& [resource, changed] : next) {
    known_[resource].listed = changed.listed;
    offered_[resource] = std::make_shared<const MadeUnits>(std::move(changed.units));
  }
  return true;
}

bool Identifier::offers(std::string_view id) const {
  return std::ranges::any_of(
      offered_, [&](const MadeUnitsPtr& units) { return find(*units, id) != units->end(); });
}

}  // namespace patchbay::inventory
