#include "health/path_rounds.h"

#include <utility>

#include "health/pace.h"

namespace patchbay::health {
namespace {

using inventory::NeededPath;

/// On a file system whose inodes have another number each time, there is no end otherwise.
constexpr int kMostLooks = 8;

}  // namespace

PathRounds::PathRounds(loop::EventLoop& loop, PathCheck& check, Options options,
                       std::function<void()> on_looked)
    : loop_(loop), check_(check), options_(std::move(options)), on_looked_(std::move(on_looked)) {
  PathWatch::Listener& listener = *this;
  if (options_.inotify != nullptr)
    watch_.emplace(*options_.inotify, options_.root.directory(), listener);
}

void PathRounds::need(const NeededPath& path, PathUser& user) {
  const auto [entry, is_new] = entries_.try_emplace(path);
  entry->second.users.insert(&user);
  if (is_new) look(path);
}

void PathRounds::release(const NeededPath& path, PathUser& user) {
  const auto entry = entries_.find(path);
  if (entry == entries_.end()) return;
  entry->second.users.erase(&user);
  if (!entry->second.users.empty()) return;
  entries_.erase(entry);
  to_look_at_.erase(path);
  later_.erase(path);
  // Others may need it in the other way.
  if (watch_ && !entries_.contains({path.path, !path.device_node})) watch_->drop(path.path);
  if (entries_.empty()) {
    next_.reset();
    again_.reset();
  }
}

void PathRounds::look(const NeededPath& path) {
  to_look_at_.insert(path);
  look_soon();
}

const std::string& PathRounds::fault(const NeededPath& path) const {
  static const std::string none;
  const auto entry = entries_.find(path);
  return entry == entries_.end() ? none : entry->second.fault;
}

void PathRounds::path_event(const std::string& path) {
  for (auto at = entries_.lower_bound({path, false}); at != entries_.end(); ++at) {
    if (at->first.path != path) break;
    note_event(*at);
  }
  const std::string directory = path + '/';
  for (auto below = entries_.lower_bound({directory, false}); below != entries_.end(); ++below) {
    if (!below->first.path.starts_with(directory)) break;
    note_event(*below);
  }
}

void PathRounds::events_lost() {
  // Told once for each directory.
  if (std::exchange(events_lost_, true)) return;
  for (auto& [path, entry] : entries_) entry.way_known = false;
  look_at_all();
}

bool PathRounds::needs_below(const std::string& directory) const {
  const auto below = entries_.lower_bound({directory + '/', false});
  return below != entries_.end() && below->first.path.starts_with(directory + '/');
}

void PathRounds::note_event(Entries::value_type& entry) {
  auto& [path, known] = entry;
  known.way_known = false;
  const loop::Time now = loop_.now();
  if (now - known.event >= options_.least_between_events) {
    known.event = now;
    look(path);
    return;
  }
  later_.insert(path);
  if (again_) return;
  again_ = loop_.after(options_.least_between_events, [this] {
    again_.reset();
    for (const NeededPath& again : later_) entries_.at(again).event = loop_.now();
    to_look_at_.merge(std::exchange(later_, {}));
    look_soon();
  });
}

void PathRounds::look_soon() {
  if (soon_ || !asked_.empty()) return;
  soon_ = loop_.after(loop::Milliseconds(0), [this] {
    soon_.reset();
    begin();
  });
}

void PathRounds::look_at_all() {
  for (const auto& [path, entry] : entries_) to_look_at_.insert(to_look_at_.end(), path);
  look_soon();
}

void PathRounds::begin() {
  events_lost_ = false;
  if (to_look_at_.empty()) return;
  std::set<NeededPath> later;
  std::vector<PathQuery> queries;
  for (const NeededPath& path : to_look_at_) {
    // What is wrong is told by path: one that must be a node for some is another job's.
    const bool twice = !asked_.empty() && asked_.rbegin()->path == path.path;
    (twice ? later : asked_).insert(path);
    if (!twice) queries.push_back({path, watch_ && !entries_.at(path).way_known});
  }
  to_look_at_ = std::move(later);
  began_ = loop_.now();
  if (watch_) watch_->begin_look();
  run_ = check_.run(std::move(queries), kTimeout, [this](const PathsSeen& seen) { done(seen); });
}

void PathRounds::done(const PathsSeen& seen) {
  std::set<PathUser*> told;
  for (const NeededPath& path : std::exchange(asked_, {})) {
    const auto entry = entries_.find(path);
    if (entry == entries_.end()) continue;
    const auto found = seen.faults.find(path.path);
    std::string fault = found == seen.faults.end() ? "" : found->second;
    const bool changed = std::exchange(entry->second.fault, fault) != fault;
    if (changed) told.insert(entry->second.users.begin(), entry->second.users.end());
    if (watch_) follow(*entry, seen, changed);
  }
  for (PathUser* user : told) user->paths_changed();
  if (!to_look_at_.empty()) look_soon();
  if (!next_ && !options_.once && !entries_.empty()) wait_for_next_round();
  on_looked_();
}

void PathRounds::follow(Entries::value_type& entry, const PathsSeen& seen, bool changed) {
  auto& [path, known] = entry;
  const auto way = seen.ways.find(path.path);
  if (way == seen.ways.end()) {
    // What changes without an event is reached in another way than was watched.
    if (!changed) return;
    known.way_known = false;
    to_look_at_.insert(path);
    return;
  }
  // Not if something has happened since.
  known.way_known = !to_look_at_.contains(path) && !later_.contains(path);
  if (!watch_->follow(path.path, way->second)) {
    known.looks = 0;
  } else if (++known.looks <= kMostLooks) {
    known.way_known = false;
    to_look_at_.insert(path);
  }
}

void PathRounds::wait_for_next_round() {
  const loop::Time now = loop_.now();
  const loop::Time next = next_run(began_, now, options_.period, options_.random());
  next_ = loop_.after(until(next, now), [this] {
    next_.reset();
    look_at_all();
  });
}

}  // namespace patchbay::health
