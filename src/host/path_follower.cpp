#include "host/path_follower.h"

#include <sys/inotify.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/log.h"

namespace patchbay::host {
namespace {

bool is_at_or_below(const std::string& path, const std::string& place) {
  return path.starts_with(place) && (path.size() == place.size() || path[place.size()] == '/');
}

}  // namespace

PathFollower::PathFollower(loop::EventLoop& loop, PathLook& look, Options options)
    : loop_(loop), look_(look), options_(std::move(options)) {
  if (options_.inotify == nullptr) return;
  short_ = options_.inotify->when_short([this] { look_when_refused(); });
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
  static_cast<void>(watch_end(path, std::nullopt, 0));
  static_cast<void>(set_detours(path, {}));
  release_above(options_.root.here(path));
  if (entries_.empty()) {
    next_.reset();
    again_.reset();
  }
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
  const auto end = end_of_.find(path);
  return end != end_of_.end() && ends_.at(end->second).being_written();
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

void PathFollower::lost() {
  // Told once for each watch.
  if (std::exchange(lost_, true)) return;
  refresh();
  std::vector<std::string> paths;
  for (const auto& [path, entry] : entries_) paths.push_back(path);
  for (const std::string& path : paths) tell_event(path);
  if (options_.on_lost) options_.on_lost();
}

/// What is not watched may have changed.
void PathFollower::look_when_refused() {
  if (std::exchange(refused_, false)) lost();
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
    queries.push_back({.path = path,
                       .way = options_.inotify != nullptr && !entry.way_known,
                       .inside = entry.inside});
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
  if (options_.inotify == nullptr) return false;
  if (!found.way) {
    // What changes without an event is reached in another way than was watched.
    if (changed) entry.way_known = false;
    if (changed && found.seen.kind <= PathSeen::Kind::fault) to_look_at_.insert(path);
    return false;
  }
  // Not if something has happened since.
  entry.way_known = !to_look_at_.contains(path) && !later_.contains(path);
  if (watch_way(path, entry, *found.way) && ++entry.looks <= kMostLooks) {
    entry.news = true;
    entry.way_known = false;
    to_look_at_.insert(path);
    return false;
  }
  entry.looks = 0;
  return std::exchange(entry.news, false);
}

/// True: some of it was not watched yet when the look began, so another is needed for what happened
/// meanwhile.
bool PathFollower::watch_way(const std::string& path, Entry& entry, const Way& way) {
  bool again = false;
  std::set<std::string> detours;
  std::optional<Place> end;
  entry.reported = way.reported;
  for (const Place& place : way.places) {
    if (place.entry.empty()) {
      end = place;
      continue;
    }
    PlaceWatch& directory = directories_[place.path];
    const auto on_event = [this, at = place.path](const auto& event) { this->on_event(at, event); };
    again =
        watch(directory, place, [&] { return options_.inotify->watch(place.path, on_event); }) ||
        again;
    entry.reported = entry.reported && directory;
    std::string at = entry_of(place.path, place.entry);
    if (!is_at_or_below(options_.root.here(path), at)) detours.insert(std::move(at));
  }
  again = watch_end(path, end, entry.seen.mode) || again;
  return set_detours(path, std::move(detours)) || again;
}

/// What the path leads to, and its type; none: it leads nowhere, or is not followed inside.
bool PathFollower::watch_end(const std::string& path, const std::optional<Place>& place,
                             mode_t mode) {
  const auto before = end_of_.find(path);
  if (before != end_of_.end() && (!place || before->second != place->path)) {
    const auto old = ends_.find(before->second);
    old->second.paths.erase(path);
    if (old->second.paths.empty()) ends_.erase(old);
    end_of_.erase(before);
  }
  if (!place) return false;
  end_of_[path] = place->path;
  End& end = ends_[place->path];
  end.paths.insert(path);
  const auto on_event = [this, at = place->path](const auto& event) { on_end_event(at, event); };
  return watch(end.watched, *place, [&] {
    return S_ISDIR(mode) ? options_.inotify->watch(place->path, on_event)
                         : options_.inotify->watch_file(place->path, on_event);
  });
}

bool PathFollower::watch(PlaceWatch& watched, const Place& place, const PlaceWatch::Begin& begin) {
  const auto again = watched.renew(place, {.begun = looks_, .heard = heard_look_}, begin);
  if (again) return *again;
  refused_ = true;
  // Of a shortage it is said for all.
  if (!options_.inotify->is_short() && !std::exchange(cannot_watch_said_, true)) {
    log::warning("changes of some paths are noticed late", {{"reason", again.error().message}});
  }
  return false;
}

/// True: some are new.
bool PathFollower::set_detours(const std::string& path, std::set<std::string> detours) {
  const Detours::Change change = detours_.set(path, std::move(detours));
  for (const std::string& place : change.released) release_above(place);
  return change.some_new;
}

void PathFollower::release_above(std::string place) {
  while (!place.empty() && place != "/") {
    place.resize(place.rfind('/'));
    const std::string directory = place.empty() ? "/" : place;
    if (is_needed(directory)) return;  // So are all above it.
    directories_.erase(directory);
  }
}

bool PathFollower::is_needed(const std::string& directory) const {
  if (detours_.any_below(entry_of(directory, ""))) return true;
  const auto written = below_root(directory);
  if (!written) return false;
  const auto path = entries_.lower_bound(*written + '/');
  return path != entries_.end() && path->first.starts_with(*written + '/');
}

void PathFollower::on_event(const std::string& directory, const loop::InotifyEvent& event) {
  if (event.overflow()) return lost();
  if (event.directory_gone()) return on_end(directory);
  const std::string place = entry_of(directory, event.name);
  if (const auto path = below_root(place)) happened(*path);
  for (const std::string& path : detours_.paths_at(place)) note_event(path);
}

void PathFollower::on_end(const std::string& directory) {
  directories_.erase(directory);
  if (const auto path = below_root(directory)) happened(*path);
  for (const std::string& path : detours_.paths_below(entry_of(directory, ""))) note_event(path);
}

void PathFollower::on_end_event(const std::string& place, const loop::InotifyEvent& event) {
  if (event.overflow()) return lost();
  const auto end = ends_.find(place);
  if (end == ends_.end()) return;
  if (event.directory_gone()) {
    end->second.watched = {};
  } else if (!event.name.empty()) {
    for (const std::string& path : paths_to(place)) {
      tell(path, [&](PathListener& listener) { listener.entry_event(path, event); });
    }
    return;
  } else if ((event.mask & (IN_CLOSE_WRITE | IN_MODIFY)) != 0) {
    return on_write(end->second, place, event);
  } else if (end->second.being_written()) {
    return;
  }
  for (const std::string& path : paths_to(place)) note_event(path);  // It may have become readable.
}

void PathFollower::on_write(End& end, const std::string& place, const loop::InotifyEvent& event) {
  if (!end.writes) {
    end.writes = std::make_unique<FileWrites>(loop_, [this, place] {
      for (const std::string& path : paths_to(place)) tell_event(path);
    });
  }
  (event.mask & IN_CLOSE_WRITE) != 0 ? end.writes->closed() : end.writes->written();
}

/// A copy: whoever hears of it may follow others, and none of these.
std::set<std::string> PathFollower::paths_to(const std::string& place) const {
  const auto end = ends_.find(place);
  return end == ends_.end() ? std::set<std::string>{} : end->second.paths;
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

/// As it is followed; none: it is elsewhere.
std::optional<std::string> PathFollower::below_root(const std::string& place) const {
  const std::string& root = options_.root.directory();
  if (place == "/") return root.empty() ? std::optional<std::string>("") : std::nullopt;
  if (!is_at_or_below(place, root)) return std::nullopt;
  return place.substr(root.size());
}

}  // namespace patchbay::host
