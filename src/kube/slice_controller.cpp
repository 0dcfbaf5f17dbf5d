#include "kube/slice_controller.h"

#include <algorithm>
#include <set>
#include <utility>

namespace patchbay::kube {

void SliceController::set_wanted(std::vector<std::string> slices) {
  has_wanted_ = true;
  wanted_ = std::move(slices);
  std::erase_if(changed_by_server_, [&](const auto& sent_and_stored) {
    return std::ranges::find(wanted_, sent_and_stored.first) == wanted_.end();
  });
}

void SliceController::set_stored(const Json& list) {
  stored_.clear();
  list_version_ = version_of(list);
  for (const Json& item : field(list, "items")) {
    if (auto slice = parse_slice(item)) store(*std::move(slice));
  }
}

void SliceController::apply(const Json& event) {
  auto slice = parse_slice(field(event, "object"));
  if (!slice || slice->version <= list_version_) return;
  if (text_field(event, "type") != "DELETED") return store(*std::move(slice));
  const auto known = stored_.find(slice->name);
  if (known != stored_.end() && known->second.uid == slice->uid) stored_.erase(known);
}

void SliceController::written(const Operation& operation, Slice answer) {
  last_generation_ = std::max(last_generation_, answer.generation);
  const std::string& sent = operation.content.devices;
  if (sent != answer.devices) changed_by_server_[sent] = answer.devices;
  store(std::move(answer));
}

void SliceController::store(Slice slice) {
  Slice& known = stored_[slice.name];
  if (known.version < slice.version) known = std::move(slice);
}

std::optional<Operation> SliceController::next() const {
  using Kind = Operation::Kind;
  if (!has_wanted_) return std::nullopt;
  std::map<size_t, const Slice*> by_index;
  for (const auto& [name, slice] : stored_) {
    if (slice.pool != pool_) continue;
    const auto index = index_of(name);
    if (!index || *index >= wanted_.size()) return Operation{Kind::remove, slice, {}};
    const auto [other, added] = by_index.try_emplace(*index, &slice);
    if (added) continue;
    // Two slices of one index, such as after the answer to a create was lost.
    const bool newer = slice.generation > other->second->generation;
    return Operation{Kind::remove, newer ? *other->second : slice, {}};
  }
  const int64_t generation = next_generation(by_index);
  for (size_t i = 0; i < wanted_.size(); ++i) {
    const auto known = by_index.find(i);
    Content content{.index = i,
                    .generation = generation,
                    .count = static_cast<int64_t>(wanted_.size()),
                    .devices = wanted_[i]};
    if (known == by_index.end()) return Operation{Kind::create, {}, std::move(content)};
    if (known->second->generation != generation || !is_right(i, *known->second)) {
      return Operation{Kind::update, *known->second, std::move(content)};
    }
  }
  return std::nullopt;
}

int64_t SliceController::next_generation(const std::map<size_t, const Slice*>& by_index) const {
  int64_t newest = 0;
  for (const auto& [index, slice] : by_index) newest = std::max(newest, slice->generation);
  // A generation whose slices were all deleted is not used again.
  if (newest < last_generation_ || newest == 0) return std::max(newest, last_generation_) + 1;
  size_t of_newest = 0;
  size_t wrong = 0;
  bool same_count = true;
  for (const auto& [index, slice] : by_index) {
    if (slice->generation != newest) continue;
    ++of_newest;
    if (!is_right(index, *slice)) ++wrong;
    if (slice->count != static_cast<int64_t>(wanted_.size())) same_count = false;
  }
  const bool complete = of_newest == wanted_.size();
  return same_count && (wrong == 0 || (complete && wrong == 1)) ? newest : newest + 1;
}

bool SliceController::is_right(size_t index, const Slice& slice) const {
  if (slice.count != static_cast<int64_t>(wanted_.size())) return false;
  if (slice.devices == wanted_[index]) return true;
  const auto changed = changed_by_server_.find(wanted_[index]);
  return changed != changed_by_server_.end() && changed->second == slice.devices;
}

std::vector<std::string> SliceController::dropped() const {
  std::set<std::string> all;
  for (const auto& [sent, stored] : changed_by_server_) {
    find_dropped(Json::parse(sent), Json::parse(stored), "spec.devices", all);
  }
  return {all.begin(), all.end()};
}

}  // namespace patchbay::kube
