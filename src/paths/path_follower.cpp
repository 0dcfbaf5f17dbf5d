#include "paths/path_follower.h"

#include <sys/inotify.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "loop/executor.h"

namespace patchbay::paths {
PathFollower::PathFollower(loop::EventLoop& loop, PathChecker& check, Options options)
    : loop_(loop), checker_(check), options_(std::move(options)) {
  if (options_.inotify == nullptr) return;
  watches_ = std::make_unique<ChainWatcher>(loop_, *options_.inotify, options_.root,
                                            static_cast<ChainWatcher::Listener&>(*this),
                                            options_.all_writes);
}

void PathFollower::follow(const std::string& path, PathListener& listener, bool inside) {
  Entry& entry = entries_[path];
  if (std::ranges::find(entry.listeners, &listener) == entry.listeners.end()) {
    entry.listeners.push_back(&listener);
  }
  const bool more = inside && !std::exchange(entry.inside, true);
  if (!more && entry.state.kind != PathState::Kind::unknown) return;
  entry.chain_known = false;
  entry.event_pending = true;
  refresh(path);
}

void PathFollower::drop(const std::string& path, PathListener& listener) {
  const auto entry = entries_.find(path);
  if (entry == entries_.end()) return;
  std::erase(entry->second.listeners, &listener);
  if (!entry->second.listeners.empty()) return;
  entries_.erase(entry);
  to_check_.erase(path);
  later_.erase(path);
  if (watches_) watches_->drop(path);
  if (entries_.empty()) {
    next_.reset();
    again_.reset();
  }
}

void PathFollower::forget(const std::string& path) {
  if (const auto entry = entries_.find(path); entry != entries_.end()) entry->second.state = {};
}

void PathFollower::refresh(const std::string& path) {
  to_check_.insert(path);
  schedule_check();
}

void PathFollower::refresh() {
  for (auto& [path, entry] : entries_) entry.chain_known = false;
  refresh_all();
}

PathState PathFollower::state(const std::string& path) const {
  const auto entry = entries_.find(path);
  return entry == entries_.end() ? PathState{} : entry->second.state;
}

bool PathFollower::reports_all_changes(const std::string& path) const {
  const auto entry = entries_.find(path);
  return entry != entries_.end() && entry->second.chain_known && entry->second.reported;
}

bool PathFollower::being_written(const std::string& path) const {
  return watches_ && watches_->being_written(path);
}

/// An event at `path` concerns this path, and all followed paths below it.
void PathFollower::changed_at_or_above(const std::string& path) {
  std::vector<std::string> concerned;
  if (entries_.contains(path)) concerned.push_back(path);
  const std::string directory = path + '/';
  for (auto below = entries_.lower_bound(directory); below != entries_.end(); ++below) {
    if (!below->first.starts_with(directory)) break;
    concerned.push_back(below->first);
  }
  for (const std::string& one : concerned) note_event(one);
}

bool PathFollower::follows_below(const std::string& directory) const {
  const auto path = entries_.lower_bound(directory);
  return path != entries_.end() && path->first.starts_with(directory);
}

void PathFollower::events_lost() {
  // The watcher may call this for each watch: only the first call counts until the next check.
  if (std::exchange(lost_, true)) return;
  refresh();
  std::vector<std::string> paths;
  for (const auto& [path, entry] : entries_) paths.push_back(path);
  for (const std::string& path : paths) notify_event(path);
  if (options_.on_lost) options_.on_lost();
}

void PathFollower::entry_changed(const std::string& path, const loop::InotifyEvent& event) {
  const bool closed = (event.mask & IN_CLOSE_WRITE) != 0;
  const std::string file = event.name.empty() ? path : path + '/' + event.name;
  notify(path, [&](PathListener& listener) {
    if (closed || (event.mask & IN_MODIFY) != 0) {
      listener.write_event(file, closed);
    } else {
      listener.entry_event(path, event);
    }
  });
}

void PathFollower::note_event(const std::string& path) {
  const auto found = entries_.find(path);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  entry.chain_known = false;
  const loop::Time now = loop_.now();
  if (now - entry.event >= kLeastBetweenEvents) entry.burst = 0;
  if (entry.burst < kBurst) {
    ++entry.burst;
    entry.event = now;
    refresh(path);
  } else {
    defer_check(path);
  }
  notify_event(path);
}

void PathFollower::defer_check(const std::string& path) {
  later_.insert(path);
  if (again_) return;
  again_ = loop_.after(kLeastBetweenEvents, [this] {
    again_.reset();
    for (const std::string& again : later_) entries_.at(again).event = loop_.now();
    to_check_.merge(std::exchange(later_, {}));
    schedule_check();
  });
}

void PathFollower::schedule_check() {
  if (soon_) return;
  // One check at a time, unless the running one waits for an unresponsive path.
  loop::Milliseconds wait{0};
  if (!in_check_.empty()) {
    const auto end = began_ + loop::kSlowAfter;
    wait = std::max(wait, std::chrono::ceil<loop::Milliseconds>(end - loop_.now()));
  }
  soon_ = loop_.after(wait, [this] {
    soon_.reset();
    begin();
  });
}

/// Called when an unresponsive path has answered. Other paths may have been skipped because too
/// many paths hung on the same mount.
void PathFollower::recheck_unresponsive() {
  for (const auto& [path, entry] : entries_) {
    if (entry.state.kind == PathState::Kind::unresponsive) to_check_.insert(path);
  }
}

void PathFollower::refresh_all() {
  for (const auto& [path, entry] : entries_) to_check_.insert(to_check_.end(), path);
  schedule_check();
}

void PathFollower::begin() {
  lost_ = false;
  std::vector<PathQuery> queries;
  // A path in a running check is checked again after its result.
  std::erase_if(to_check_, [&](const std::string& path) {
    if (in_check_.contains(path)) return false;
    const Entry& entry = entries_.at(path);
    queries.push_back(
        {.path = path, .chain = watches_ && !entry.chain_known, .inside = entry.inside});
    return true;
  });
  if (queries.empty()) return;
  began_ = loop_.now();
  const uint64_t number = ++last_check_;
  RunningCheck& check = running_[number];
  for (const PathQuery& query : queries) {
    in_check_[query.path] = number;
    check.open.insert(query.path);
  }
  check.run = checker_.run(std::move(queries), loop::kHungAfter,
                           [this, number](const PathResults& results) { found(number, results); });
}

void PathFollower::found(uint64_t check, const PathResults& found) {
  applied_check_ = check;
  std::vector<std::pair<std::string, PathState>> changes;
  std::vector<std::string> events;
  bool answered = false;
  for (const auto& [path, result] : found) {
    if (const auto in_check = in_check_.find(path);
        in_check != in_check_.end() && in_check->second == check) {
      in_check_.erase(in_check);
    }
    const PathState& state = result.state;
    if (!result.reported_again) running_.at(check).open.erase(path);
    const auto entry = entries_.find(path);
    if (entry == entries_.end()) continue;
    if (result.exhausted) {
      entry->second.chain_known = false;
      defer_check(path);
      if (entry->second.state.kind != PathState::Kind::unknown) continue;
    }
    const PathState before = std::exchange(entry->second.state, state);
    if (before.kind == PathState::Kind::unresponsive && before != state) {
      answered = true;
      // A hung check may have failed because the file system was removed or remounted.
      entry->second.chain_known = false;
      to_check_.insert(path);
    }
    if (!result.exhausted && follow_chain(path, entry->second, result, before != state))
      events.push_back(path);
    if (before != state) changes.emplace_back(path, state);
  }
  if (answered) recheck_unresponsive();
  for (const auto& [path, state] : changes) {
    notify(path, [&](PathListener& listener) { listener.path_state_changed(path, state); });
  }
  for (const std::string& path : events) notify_event(path);
  if (running_.at(check).open.empty()) running_.erase(check);
  if (!to_check_.empty()) {
    soon_.reset();
    schedule_check();
  }
  if (!next_ && options_.next_check && !entries_.empty()) {
    next_ = loop_.after(options_.next_check(began_), [this] {
      next_.reset();
      refresh_all();
    });
  }
  if (options_.on_checked) options_.on_checked();
}

bool PathFollower::follow_chain(const std::string& path, Entry& entry, const PathResult& found,
                                bool changed) {
  if (!watches_) return false;
  if (!found.chain) {
    // A change without an event: the chain differs from the watched one.
    if (changed) entry.chain_known = false;
    if (changed && found.state.kind <= PathState::Kind::fault) to_check_.insert(path);
    return false;
  }
  // An event since the start of the check may have changed the chain.
  entry.chain_known = !to_check_.contains(path) && !later_.contains(path);
  const auto watched = watches_->follow(path, *found.chain, entry.state.mode,
                                        {.begun = last_check_, .applied = applied_check_});
  entry.reported = watched.reported;
  if (watched.again && ++entry.checks_in_row <= kMaxChecksInRow) {
    entry.event_pending = true;
    entry.chain_known = false;
    to_check_.insert(path);
    return false;
  }
  entry.checks_in_row = 0;
  return std::exchange(entry.event_pending, false);
}

/// Calls all listeners of the path. A listener may remove itself and others.
void PathFollower::notify(const std::string& path,
                          const std::function<void(PathListener&)>& result) {
  const auto listeners_now = [&] {
    const auto entry = entries_.find(path);
    return entry == entries_.end() ? std::vector<PathListener*>{} : entry->second.listeners;
  };
  for (PathListener* listener : listeners_now()) {
    const auto still = listeners_now();
    if (std::ranges::find(still, listener) != still.end()) result(*listener);
  }
}

void PathFollower::notify_event(const std::string& path) {
  notify(path, [&](PathListener& listener) { listener.path_event(path); });
}

}  // namespace patchbay::paths
