#include "host/udev/udev_pending.h"

#include <utility>

namespace patchbay::host {

bool UdevPending::kernel_event(const std::string& key, uint64_t seqnum, loop::Time now) {
  if (!udevd_runs_) return true;
  enter(key, seqnum, State::blocked, now);
  return false;
}

void UdevPending::kernel_event_without_udev(const std::string& key, uint64_t seqnum,
                                            loop::Time now) {
  if (udevd_runs_) enter(key, seqnum, State::released, now);
}

void UdevPending::kernel_remove(const std::string& key, uint64_t seqnum, loop::Time now) {
  if (udevd_runs_) enter(key, seqnum, State::removed, now);
}

bool UdevPending::udev_event(const std::string& key, uint64_t seqnum) {
  const auto it = entries_.find(key);
  if (it == entries_.end()) return true;
  const Entry entry = it->second;
  if (seqnum < entry.seqnum) return false;
  erase(it);
  return entry.state != State::removed || seqnum > entry.seqnum;
}

bool UdevPending::udev_remove(const std::string& key, uint64_t seqnum) {
  const auto it = entries_.find(key);
  if (it == entries_.end()) return true;
  if (seqnum < it->second.seqnum) return false;
  erase(it);
  return true;
}

bool UdevPending::database_record(const std::string& key) {
  const auto it = entries_.find(key);
  if (it == entries_.end()) return true;
  if (it->second.state == State::removed) return false;
  release(it->second);
  return true;
}

void UdevPending::defer(const std::string& key, loop::Time now) {
  if (!entries_.contains(key)) enter(key, 0, State::blocked, now);
}

std::vector<std::string> UdevPending::set_udevd(bool runs) {
  udevd_runs_ = runs;
  if (runs) return {};
  queue_exists_ = false;
  auto released = release_blocked(loop::Time::max());
  entries_.clear();
  order_.clear();
  return released;
}

std::vector<std::string> UdevPending::expire(loop::Time now) {
  std::vector<std::string> released;
  while (true) {
    drop_outdated();
    if (order_.empty() || oldest().since + timeout() > now) break;
    const auto it = entries_.find(order_.front().key);
    if (it->second.state == State::blocked) released.push_back(it->first);
    erase(it);
  }
  return released;
}

std::optional<loop::Time> UdevPending::next_expiry() {
  drop_outdated();
  if (order_.empty()) return std::nullopt;
  return oldest().since + timeout();
}

bool UdevPending::blocks(const std::string& key) const {
  const auto it = entries_.find(key);
  return it != entries_.end() && it->second.state == State::blocked;
}

void UdevPending::enter(const std::string& key, uint64_t seqnum, State state, loop::Time now) {
  const uint64_t stamp = next_stamp_++;
  Entry& entry = entries_[key];
  release(entry);
  entry = {.seqnum = seqnum, .since = now, .state = state, .stamp = stamp};
  if (state == State::blocked) ++blocked_;
  order_.push_back({.key = key, .stamp = stamp});
}

std::vector<std::string> UdevPending::release_blocked(loop::Time by) {
  std::vector<std::string> released;
  for (auto& [key, entry] : entries_) {
    if (entry.state != State::blocked || entry.since > by) continue;
    release(entry);
    released.push_back(key);
  }
  return released;
}

void UdevPending::release(Entry& entry) {
  if (std::exchange(entry.state, State::released) == State::blocked) --blocked_;
}

void UdevPending::erase(Entries::iterator entry) {
  release(entry->second);
  entries_.erase(entry);
}

void UdevPending::drop_outdated() {
  while (!order_.empty()) {
    const auto it = entries_.find(order_.front().key);
    if (it != entries_.end() && it->second.stamp == order_.front().stamp) return;
    order_.pop_front();
  }
}

}  // namespace patchbay::host
