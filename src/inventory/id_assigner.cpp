#include "inventory/id_assigner.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "inventory/id_advice.h"

namespace patchbay::inventory {
namespace {

std::string_view id_of(const MadeUnitPtr& made) { return made->id; }

size_t list_size_of(const MadeUnit& made) { return list_size(made.listed(), made.nodes.size()); }

bool has_matched(const MadeUnit& made, const std::string& device) {
  return std::ranges::any_of(
      made.members->of(0), [&](const UnitDevice& matched) { return matched.facts->key == device; });
}

/// Whether the ids of the group contain captures.
bool has_captures(const rules::GroupPlan& group) {
  const auto& text = group.id ? group.id : group.by;
  return text && std::ranges::any_of(text->uses(), [](const rules::Template::VariableUse& use) {
           return use.variable->variable == rules::Variable::capture;
         });
}

/// Whether the id uses captures, and the rule matches an ancestor beyond the device directly above.
/// Then devices below the same ancestor can get the same id.
bool inherits(const rules::ResourcePlan& plan, const MadeUnit& made) {
  const rules::GroupPlan& group = plan.groups[made.members->group];
  return has_captures(group) &&
         group.match.ancestor_depth(*made.members->devices.front().facts) > 1;
}

/// The only candidate that does not inherit its id, if all others do; otherwise null.
MadeUnitPtr owner_of(const rules::ResourcePlan& plan, std::span<const MadeUnitPtr> candidates) {
  MadeUnitPtr owner;
  for (const MadeUnitPtr& made : candidates) {
    if (inherits(plan, *made)) continue;
    if (owner) return nullptr;
    owner = made;
  }
  return owner;
}

/// Selects the units that one resource offers. Units that are listed already come first, so that no
/// other unit can displace them.
class ResourceOffer {
 public:
  /// `listed`: the last list of the resource; null before the first list.
  ResourceOffer(const rules::ResourcePlan& plan, const Snapshot* listed, Refusals& refusals)
      : plan_(plan), refusals_(refusals) {
    if (listed == nullptr) return;
    listed_ = listed->units.begin();
    listed_end_ = listed->units.end();
  }

  /// Adds all candidates with one id. Calls must be in natural order of ids.
  void add(std::span<const MadeUnitPtr> candidates);
  /// The units that can be offered together, in natural order of ids.
  [[nodiscard]] MadeUnits take();
  /// The list size of the units of take().
  [[nodiscard]] size_t count() const { return count_; }

 private:
  /// The candidate that is listed under its id; null if no candidate is.
  [[nodiscard]] MadeUnitPtr find_listed_candidate(std::span<const MadeUnitPtr> candidates);
  /// Adds the units that do not conflict to `offered`.
  void offer(const MadeUnits& units, MadeUnits& offered);
  /// Why the unit conflicts with the units offered so far; empty if there is no conflict.
  [[nodiscard]] std::string conflict_with_offered(const MadeUnit& made) const;
  [[nodiscard]] std::string advice_on(std::span<const MadeUnitPtr> candidates) const;
  void refuse(const MadeUnit& made, std::string reason) {
    refusals_.push_back({.group = made.members->group,
                         .device = made.device(),
                         .devnode = made.members->devices.front().facts->devnode,
                         .id = made.id,
                         .reason = std::move(reason)});
  }

  const rules::ResourcePlan& plan_;
  Refusals& refusals_;
  UnitList::Iterator listed_;  ///< The first listed unit with an id that may still be added.
  UnitList::Iterator listed_end_;
  MadeUnits stay_;            ///< Listed candidates that keep their id, in order of ids.
  MadeUnits come_;            ///< Candidates that get their id and are not listed.
  MadeUnits offered_first_;   ///< Units from stay_.
  MadeUnits offered_second_;  ///< Units from come_.
  MadeUnits share_like_;      ///< Offered units with an id such as "a::3".
  size_t count_ = 0;
};

MadeUnitPtr ResourceOffer::find_listed_candidate(std::span<const MadeUnitPtr> candidates) {
  const MadeUnit& first = *candidates.front();
  // Both lists are in natural order of ids. Equal members mean equal ids, so ids need no
  // comparison.
  listed_ = std::find_if_not(listed_, listed_end_, [&](const Unit& unit) {
    return unit.members != first.members && natural_less(unit.id, first.id);
  });
  if (listed_ == listed_end_ || listed_->id != first.id) return nullptr;
  if (candidates.size() == 1 && listed_->members == first.members) return candidates.front();
  for (const UnitDevice& device : listed_->members->of(0)) {
    const auto same = std::ranges::find_if(
        candidates, [&](const MadeUnitPtr& made) { return has_matched(*made, device.facts->key); });
    if (same != candidates.end()) return *same;
  }
  return nullptr;
}

void ResourceOffer::add(std::span<const MadeUnitPtr> candidates) {
  MadeUnitPtr listed = find_listed_candidate(candidates);
  if (candidates.size() == 1) {
    (listed ? stay_ : come_).push_back(candidates.front());
    return;
  }
  const MadeUnitPtr stays = listed ? listed : owner_of(plan_, candidates);
  const std::string_view why = listed  ? ", which is already listed"
                               : stays ? ", which is nearer to the device with that value"
                                       : "";
  const std::string advice = advice_on(candidates);
  for (const MadeUnitPtr& candidate : candidates) {
    if (candidate == stays) continue;
    const bool is_first = &candidate == &candidates.front();
    const MadeUnitPtr& other = stays ? stays : is_first ? candidates[1] : candidates.front();
    refuse(*candidate, fmt::format("the id '{}' is also the id of {}{}{}", candidate->id,
                                   printable(other->device()), why, advice));
  }
  if (stays) (listed ? stay_ : come_).push_back(stays);
}

std::string ResourceOffer::conflict_with_offered(const MadeUnit& made) const {
  if (count_ + list_size_of(made) > kMaxUnits) {
    return fmt::format("the resource has too many units: the limit is {}", kMaxUnits);
  }
  if (made.shares == 0) {
    const bool taken = has_share(offered_first_, made.id) || has_share(offered_second_, made.id);
    return taken ? fmt::format("the id '{}' is also the id of a share", made.id) : "";
  }
  const auto same = std::ranges::find_if(share_like_, [&](const MadeUnitPtr& other) {
    const ShareId id = *split_share_id(other->id);
    return id.unit == made.id && id.share < made.shares;
  });
  if (same == share_like_.end()) return "";
  return fmt::format("the id '{}' of a share is also the id of {}, which is already listed",
                     (*same)->id, printable((*same)->device()));
}

void ResourceOffer::offer(const MadeUnits& units, MadeUnits& offered) {
  offered.reserve(units.size());
  for (const MadeUnitPtr& unit : units) {
    if (std::string reason = conflict_with_offered(*unit); !reason.empty()) {
      refuse(*unit, std::move(reason));
      continue;
    }
    count_ += list_size_of(*unit);
    offered.push_back(unit);
    if (unit->shares == 0 && split_share_id(unit->id)) share_like_.push_back(unit);
  }
}

MadeUnits ResourceOffer::take() {
  offer(stay_, offered_first_);
  offer(come_, offered_second_);
  if (offered_first_.empty()) return std::move(offered_second_);
  const auto middle = static_cast<ptrdiff_t>(offered_first_.size());
  std::ranges::move(offered_second_, std::back_inserter(offered_first_));
  std::ranges::inplace_merge(offered_first_, offered_first_.begin() + middle, natural_less, id_of);
  return std::move(offered_first_);
}

std::string ResourceOffer::advice_on(std::span<const MadeUnitPtr> candidates) const {
  std::vector<const DeviceFacts*> devices;
  for (const MadeUnitPtr& made : candidates) {
    devices.push_back(made->members->devices.front().facts.get());
  }
  return advice_on_equal_ids(plan_.groups[candidates.front()->members->group], devices);
}

}  // namespace

MadeUnits::const_iterator find_by_id(const MadeUnits& units, std::string_view id) {
  const auto at = std::ranges::lower_bound(units, id, natural_less, id_of);
  return at != units.end() && (*at)->id == id ? at : units.end();
}

bool has_share(const MadeUnits& units, std::string_view id) {
  const auto split = split_share_id(id);
  if (!split) return false;
  const auto shared = find_by_id(units, split->unit);
  return shared != units.end() && split->share < (*shared)->shares;
}

void IdAssigner::assign_ids(const rules::Plan& plan, std::vector<MadeUnits> candidates,
                            std::span<const SnapshotPtr> listed, RefusalsByResource& refusals) {
  states_.resize(candidates.size());
  offered_.resize(candidates.size());
  for (size_t resource = 0; resource < candidates.size(); ++resource) {
    ResourceState& known = states_[resource];
    if (known.candidates != candidates[resource]) {
      known.candidates = std::move(candidates[resource]);
      known.by_id = known.candidates;
      // Ids often follow the devices' names and then are already in order.
      if (!std::ranges::is_sorted(known.by_id, natural_less, id_of)) {
        std::ranges::stable_sort(known.by_id, natural_less, id_of);
      }
    }
    ResourceOffer offer(*plan.resources[resource], listed[resource].get(), refusals[resource]);
    for (auto first = known.by_id.begin(); first != known.by_id.end();) {
      const auto last = std::find_if(first, known.by_id.end(), [&](const MadeUnitPtr& unit) {
        return unit->id != (*first)->id;
      });
      offer.add({first, last});
      first = last;
    }
    MadeUnits units = offer.take();
    known.listed = offer.count();
    MadeUnitsPtr& offered = offered_[resource];
    if (!offered || *offered != units) {
      offered = std::make_shared<const MadeUnits>(std::move(units));
    }
  }
}

bool IdAssigner::change(std::span<const CandidateChange> changes) {
  struct Next {
    MadeUnits units;
    size_t listed = 0;
  };
  std::map<size_t, Next> next;
  for (const CandidateChange& change : changes) {
    if (next.contains(change.resource)) continue;
    next.emplace(change.resource,
                 Next{*offered_[change.resource], states_[change.resource].listed});
  }
  for (const CandidateChange& change : changes) {
    if (!change.was) continue;
    auto& [units, listed] = next[change.resource];
    const auto at = find_by_id(units, change.was->id);
    if (at == units.end() || *at != change.was) return false;
    units.erase(at);
    listed -= list_size_of(*change.was);
  }
  for (const CandidateChange& change : changes) {
    if (!change.now) continue;
    const MadeUnit& made = *change.now;
    auto& [units, listed] = next[change.resource];
    listed += list_size_of(made);
    // Ids of shares can equal ids of other units: only assign_ids() checks that.
    if (!made.fault.empty() || made.shares > 0 || split_share_id(made.id)) return false;
    if (listed > kMaxUnits || find_by_id(units, made.id) != units.end()) return false;
    units.insert(std::ranges::lower_bound(units, made.id, natural_less, id_of), change.now);
  }
  for (auto& [resource, changed] : next) {
    states_[resource].listed = changed.listed;
    offered_[resource] = std::make_shared<const MadeUnits>(std::move(changed.units));
  }
  return true;
}

const MadeUnit* IdAssigner::find(size_t resource, std::string_view id) const {
  const MadeUnits& units = *offered_[resource];
  const auto at = find_by_id(units, id);
  return at == units.end() ? nullptr : at->get();
}

}  // namespace patchbay::inventory
