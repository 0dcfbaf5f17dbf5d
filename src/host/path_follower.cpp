#include "host/path_follower.h"

#include <sys/inotify.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace patchbay::host {
PathFollower::PathFollower(loop::EventLoop& loop, PathLook& look, Options options)
    : loop_(loop), look_(look), options_(std::move(options)) {
  if (options_.inotify == nullptr) return;
  watches_ = std::make_unique<WayWatches>(
      loop_, *options_.inotify, options_.root,
      WayWatches::Callbacks{
          .at_or_above = [this](const auto& path) { happened(path); },
          .on_way = [this](const auto& path) { note_event(path); },
          .written = [this](const auto& path) { tell_event(path); },
          .entry =
              [this](const auto& path, const auto& event) {
                tell(path, [&](PathListener& listener) { listener.entry_event(path, event); });
              },
          .lost = [this] { lost(); },
          .any_below = [this](const auto& directory) { return follows_below(directory); }},
      options_.permissions ? IN_ATTRIB : 0U);
}

void PathFollower::follow(const std::string& path, PathListener& listener, bool inside) {
  Entry& entry = entries_[path];
  if (std::ranges::find(entry.listeners, &listener) == entry.listeners.end()) {
    entry.listeners.push_back(&listener);
  }
  const bool more = inside && !std::exchange(entry.inside, true);
  if (!more && entry.seen.kind != PathSeen::Kind::unknown) return;
  entry.way_known = false;
  entry.news = true;
  refresh(path);
}

void PathFollower::drop(const std::string& path, PathListener& listener) {
  const auto entry = entries_.find(path);
  if (entry == entries_.end()) return;
  std::erase(entry->second.listeners, &listener);
  if (!entry->second.listeners.empty()) return;
  entries_.erase(entry);
  to_look_at_.erase(path);
  later_.erase(path);
  if (watches_) watches_->drop(path);
  if (entries_.empty()) {
    next_.reset();
    again_.reset();
  }
}

void PathFollower::forget(const std::string& path) {
  if (const auto entry = entries_.find(path); entry != entries_.end()) entry->second.seen = {};
}

void PathFollower::refresh(const std::string& path) {
  to_look_at_.insert(path);
  look_soon();
}

void PathFollower::refresh() {
  for (auto& [path, entry] : entries_) entry.way_known = false;
  refresh_all();
}

PathSeen PathFollower::seen(const std::string& path) const {
  const auto entry = entries_.find(path);
  return entry == entries_.end() ? PathSeen{} : entry->second.seen;
}

bool PathFollower::hears(const std::string& path) const {
  const auto entry = entries_.find(path);
  return entry != entries_.end() && entry->second.way_known && entry->second.reported;
}

bool PathFollower::being_written(const std::string& path) const {
  return watches_ && watches_->being_written(path);
}

/// At the path, or on the way to those below it.
void PathFollower::happened(const std::string& path) {
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

void PathFollower::lost() {
  // Told once for each watch.
  if (std::exchange(lost_, true)) return;
  refresh();
  std::vector<std::string> paths;
  for (const auto& [path, entry] : entries_) paths.push_back(path);
  for (const std::string& path : paths) tell_event(path);
  if (options_.on_lost) options_.on_lost();
}

void PathFollower::note_event(const std::string& path) {
  const auto found = entries_.find(path);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  entry.way_known = false;
  const loop::Time now = loop_.now();
  if (now - entry.event >= kLeastBetweenEvents) entry.burst = 0;
  if (entry.burst < kBurst) {
    ++entry.burst;
    entry.event = now;
    refresh(path);
  } else {
    look_later(path);
  }
  tell_event(path);
}

void PathFollower::look_later(const std::string& path) {
  later_.insert(path);
  if (again_) return;
  again_ = loop_.after(kLeastBetweenEvents, [this] {
    again_.reset();
    for (const std::string& again : later_) entries_.at(again).event = loop_.now();
    to_look_at_.merge(std::exchange(later_, {}));
    look_soon();
  });
}

void PathFollower::look_soon() {
  if (soon_) return;
  // One look at a time, unless it waits for what may not answer.
  loop::Milliseconds wait{0};
  if (!asked_.empty()) {
    const auto end = began_ + loop::WorkThreads::kLong;
    wait = std::max(wait, std::chrono::ceil<loop::Milliseconds>(end - loop_.now()));
  }
  soon_ = loop_.after(wait, [this] {
    soon_.reset();
    begin();
  });
}

/// Others may have been left out for as much as hung beside them.
void PathFollower::look_at_silent() {
  for (const auto& [path, entry] : entries_) {
    if (entry.seen.kind == PathSeen::Kind::no_answer) to_look_at_.insert(path);
  }
}

void PathFollower::refresh_all() {
  for (const auto& [path, entry] : entries_) to_look_at_.insert(to_look_at_.end(), path);
  look_soon();
}

void PathFollower::begin() {
  lost_ = false;
  std::vector<PathQuery> queries;
  // What a look waits for is looked at when that has told.
  std::erase_if(to_look_at_, [&](const std::string& path) {
    if (asked_.contains(path)) return false;
    const Entry& entry = entries_.at(path);
    queries.push_back({.path = path, .way = watches_ && !entry.way_known, .inside = entry.inside});
    return true;
  });
  if (queries.empty()) return;
  began_ = loop_.now();
  const uint64_t number = ++looks_;
  Look& look = running_[number];
  for (const PathQuery& query : queries) {
    asked_[query.path] = number;
    look.open.insert(query.path);
  }
  look.run = look_.run(std::move(queries), kTimeout,
                       [this, number](const PathsFound& part) { found(number, part); });
}

void PathFollower::found(uint64_t look, const PathsFound& found) {
  heard_look_ = look;
  std::vector<std::pair<std::string, PathSeen>> changes;
  std::vector<std::string> events;
  bool answered = false;
  for (const auto& [path, what] : found) {
    if (const auto asked = asked_.find(path); asked != asked_.end() && asked->second == look) {
      asked_.erase(asked);
    }
    const PathSeen& seen = what.seen;
    if (!what.once_more) running_.at(look).open.erase(path);
    const auto entry = entries_.find(path);
    if (entry == entries_.end()) continue;
    if (what.refused) {
      entry->second.way_known = false;
      look_later(path);
      if (entry->second.seen.kind != PathSeen::Kind::unknown) continue;
    }
    const PathSeen before = std::exchange(entry->second.seen, seen);
    if (before.kind == PathSeen::Kind::no_answer && before != seen) {
      answered = true;
      // What hung may have failed for that: a file system that was taken away, or mounted anew.
      entry->second.way_known = false;
      to_look_at_.insert(path);
    }
    if (!what.refused && follow_way(path, entry->second, what, before != seen))
      events.push_back(path);
    if (before != seen) changes.emplace_back(path, seen);
  }
  if (answered) look_at_silent();
  for (const auto& [path, seen] : changes) {
    tell(path, [&](PathListener& listener) { listener.path_seen(path, seen); });
  }
  for (const std::string& path : events) tell_event(path);
  if (running_.at(look).open.empty()) running_.erase(look);
  if (!to_look_at_.empty()) {
    soon_.reset();
    look_soon();
  }
  if (!next_ && options_.next_look && !entries_.empty()) {
    next_ = loop_.after(options_.next_look(began_), [this] {
      next_.reset();
      refresh_all();
    });
  }
  if (options_.on_looked) options_.on_looked();
}

bool PathFollower::follow_way(const std::string& path, Entry& entry, const PathFound& found,
                              bool changed) {
  if (!watches_) return false;
  if (!found.way) {
    // What changes without an event is reached in another way than was watched.
    if (changed) entry.way_known = false;
    if (changed && found.seen.kind <= PathSeen::Kind::fault) to_look_at_.insert(path);
    return false;
  }
  // Not if something has happened since.
  entry.way_known = !to_look_at_.contains(path) && !later_.contains(path);
  const auto watched =
      watches_->follow(path, *found.way, entry.seen.mode, {.begun = looks_, .heard = heard_look_});
  entry.reported = watched.reported;
  if (watched.again && ++entry.looks <= kMostLooks) {
    entry.news = true;
    entry.way_known = false;
    to_look_at_.insert(path);
    return false;
  }
  entry.looks = 0;
  return std::exchange(entry.news, false);
}

/// To all that follow the path; one may drop it, for others, too.
void PathFollower::tell(const std::string& path, const std::function<void(PathListener&)>& what) {
  const auto listeners_now = [&] {
    const auto entry = entries_.find(path);
    return entry == entries_.end() ? std::vector<PathListener*>{} : entry->second.listeners;
  };
  for (PathListener* listener : listeners_now()) {
    const auto still = listeners_now();
    if (std::ranges::find(still, listener) != still.end()) what(*listener);
  }
}

void PathFollower::tell_event(const std::string& path) {
  tell(path, [&](PathListener& listener) { listener.path_event(path); });
}

}  // namespace patchbay::host
