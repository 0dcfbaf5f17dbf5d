#include "inventory/inventory.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "inventory/unresponsive_paths.h"

namespace patchbay::inventory {

Inventory::Inventory(rules::PlanPtr plan, const Inventory* previous)
    : previous_(previous),
      plan_(std::move(plan)),
      completer_(plan_),
      shared_nodes_(*plan_),
      delayed_by_(plan_->resources.size()),
      lost_(plan_->resources.size()),
      snapshot_inputs_(plan_->resources.size()),
      last_snapshots_(plan_->resources.size()) {}

bool Inventory::apply(DeviceFactsPtr facts) {
  const auto position = devices_.lower_bound(facts->key);
  const bool is_known = position != devices_.end() && position->first == facts->key;
  if (!facts->unread.empty()) {
    // Unread facts keep their last known values.
    if (is_known && position->second.facts->unread.empty()) return false;
    if (const auto before = known_before(facts->key)) facts = before;
  }
  if (is_known && *position->second.facts == *facts) return false;
  auto matches = match(facts);
  if (!is_known && matches.empty()) return false;
  changes_.note(devices_, facts->key);
  if (!is_known) {
    const std::string_view key = facts->key;
    devices_.emplace_hint(position, key, KnownDevice{std::move(facts), std::move(matches)});
    return true;
  }
  const bool relevant = !matches.empty() || !position->second.matches.empty();
  // The key refers to the facts, so replace both. The position stays the same.
  const auto next = std::next(position);
  auto device = devices_.extract(position);
  device.key() = facts->key;
  device.mapped() = {std::move(facts), std::move(matches)};
  devices_.insert(next, std::move(device));
  return relevant;
}

/// The complete facts of a device in the previous inventory; null: none.
DeviceFactsPtr Inventory::known_before(const std::string& key) const {
  if (previous_ == nullptr) return nullptr;
  const auto known = previous_->devices_.find(key);
  if (known == previous_->devices_.end() || !known->second.facts->unread.empty()) return nullptr;
  auto unread = facts_not_read_for(*previous_->plan_, *plan_, *known->second.facts);
  if (unread.empty()) return known->second.facts;
  DeviceFacts facts = *known->second.facts;
  facts.unread = std::move(unread);
  return std::make_shared<const DeviceFacts>(std::move(facts));
}

/// Replaces `facts` by the previous inventory's object if they are equal.
std::vector<Match> Inventory::match(DeviceFactsPtr& facts) const {
  if (previous_ != nullptr) {
    const auto known = previous_->devices_.find(facts->key);
    if (known != previous_->devices_.end() && *known->second.facts == *facts) {
      facts = known->second.facts;
      const PreviousDevice before{.device = known->second, .plan = *previous_->plan_};
      return matches_of(*plan_, facts, &before);
    }
  }
  return matches_of(*plan_, facts);
}

bool Inventory::remove(const std::string& key) {
  const auto known = devices_.find(key);
  if (known == devices_.end()) return false;
  changes_.note(devices_, key);
  // Also for a device that matched nothing: its removal changes the reason for the loss of its
  // unit.
  devices_.erase(known);
  return true;
}

bool Inventory::set_online_nodes(std::set<int> nodes) {
  if (nodes == online_nodes_) return false;
  online_nodes_ = std::move(nodes);
  std::ranges::fill(snapshot_inputs_, nullptr);
  return true;
}

bool Inventory::set_pattern_truncation(const std::string& pattern, const std::string& why) {
  const auto known = truncations_.find(pattern);
  if (why == (known == truncations_.end() ? "" : known->second)) return false;
  if (why.empty()) {
    truncations_.erase(known);
  } else {
    truncations_[pattern] = why;
  }
  return true;
}

bool Inventory::set_unresponsive(const std::vector<Unresponsive>& all) {
  unresponsive_ = all;
  auto unresponsive = unresponsive_of(*plan_, all);
  if (unresponsive == delayed_by_) return false;
  delayed_by_ = std::move(unresponsive);
  return true;
}

bool Inventory::has_slow_path() const {
  return std::ranges::any_of(delayed_by_, [](const std::vector<UnresponsivePath>& of_resource) {
    return std::ranges::any_of(of_resource, &UnresponsivePath::slow);
  });
}

std::vector<std::string> Inventory::keep_unresponsive() {
  std::vector<std::string> kept;
  if (previous_ == nullptr || unresponsive_.empty()) return kept;
  const auto is_unresponsive = [&](const DeviceFacts& facts) {
    return std::ranges::any_of(unresponsive_, [&](const Unresponsive& one) {
      if (!one.key.empty()) return one.key == facts.key;
      return std::ranges::any_of(facts.found_by, [&](const FoundBy& found) {
        return std::ranges::find(one.patterns, found.pattern) != one.patterns.end();
      });
    });
  };
  for (const auto& [key, known] : previous_->devices_) {
    if (devices_.contains(key) || !is_unresponsive(*known.facts)) continue;
    kept.emplace_back(key);
    const auto facts = known_before(kept.back());
    apply(facts ? facts : known.facts);
  }
  return kept;
}

bool Inventory::offer_changed() {
  // A refused candidate may become valid after the conflicting unit is gone.
  if (some_refused_) return false;
  const auto changes = changes_.candidates(devices_);
  return changes && id_assigner_.change(*changes);
}

void Inventory::offer_all() {
  Claims claims = assign_devices(*plan_, devices_);
  auto units = completer_.complete(claims, claims.refusals);
  id_assigner_.assign_ids(*plan_, std::move(units), last_snapshots_, claims.refusals);
  some_refused_ = false;
  last_.resources.resize(plan_->resources.size());
  for (size_t resource = 0; resource < claims.refusals.size(); ++resource) {
    Refusals& refusals = claims.refusals[resource];
    some_refused_ = some_refused_ || std::ranges::find(refusals, Refusal::Kind::refused,
                                                       &Refusal::kind) != refusals.end();
    std::ranges::stable_sort(refusals, natural_less, &Refusal::device);
    last_.resources[resource].refusals = std::move(refusals);
  }
}

const std::vector<MadeUnitsPtr>& Inventory::offer() {
  const bool small = offer_changed();
  if (!small) offer_all();
  changes_.mark_applied(!small);
  return id_assigner_.offered();
}

}  // namespace patchbay::inventory
