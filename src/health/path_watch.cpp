#include "health/path_watch.h"

#include <utility>

#include "base/log.h"

namespace patchbay::health {
namespace {

std::string entry_of(const std::string& directory, const std::string& name) {
  return (directory == "/" ? "" : directory) + '/' + name;
}

bool is_at_or_below(const std::string& path, const std::string& place) {
  return path.starts_with(place) && (path.size() == place.size() || path[place.size()] == '/');
}

}  // namespace

PathWatch::PathWatch(loop::Inotify& inotify, std::string root, Listener& listener)
    : inotify_(inotify), root_(std::move(root)), listener_(listener) {}

bool PathWatch::follow(const std::string& path, const std::vector<host::FilePlace>& way) {
  bool again = false;
  std::set<std::string> detours;
  for (const host::FilePlace& place : way) {
    again = watch(place) || again;
    std::string at = entry_of(place.path, place.entry);
    if (!is_at_or_below(root_ + path, at)) detours.insert(std::move(at));
  }
  return set_detours(path, std::move(detours)) || again;
}

void PathWatch::drop(const std::string& path) {
  set_detours(path, {});
  release_above(root_ + path);
}

/// True: look again.
bool PathWatch::watch(const host::FilePlace& place) {
  const auto known = directories_.find(place.path);
  if (known != directories_.end()) {
    const Directory& directory = known->second;
    if (directory.device == place.device && directory.inode == place.inode) {
      return directory.look == look_;
    }
    directories_.erase(known);
  }
  auto watch = inotify_.watch(place.path, [this, directory = place.path](const auto& event) {
    on_event(directory, event);
  });
  if (!watch) return cannot_watch(place.path, watch.error().message);
  failed_.erase(place.path);
  directories_.emplace(
      place.path,
      Directory{
          .watch = *std::move(watch), .device = place.device, .inode = place.inode, .look = look_});
  return true;
}

/// True: it may only have gone meanwhile, then the next look finds what is there instead.
bool PathWatch::cannot_watch(const std::string& directory, const std::string& why) {
  const auto [failed, is_first] = failed_.try_emplace(directory, look_);
  if (is_first || failed->second == look_) return true;
  if (!std::exchange(cannot_watch_said_, true)) {
    log::warning("changes of some paths that units need are noticed late", {{"reason", why}});
  }
  return false;
}

/// True: some are new.
bool PathWatch::set_detours(const std::string& path, std::set<std::string> detours) {
  const auto known = detours_.find(path);
  if (known == detours_.end() && detours.empty()) return false;
  const auto before = known == detours_.end() ? std::set<std::string>{} : std::move(known->second);
  bool some_new = false;
  for (const std::string& place : detours) {
    some_new = paths_at_[place].insert(path).second || some_new;
  }
  for (const std::string& place : before) {
    if (detours.contains(place)) continue;
    const auto paths = paths_at_.find(place);
    paths->second.erase(path);
    if (paths->second.empty()) paths_at_.erase(paths);
    release_above(place);
  }
  if (detours.empty()) {
    detours_.erase(path);
  } else {
    detours_[path] = std::move(detours);
  }
  return some_new;
}

void PathWatch::release_above(std::string place) {
  while (!place.empty() && place != "/") {
    place.resize(place.rfind('/'));
    const std::string directory = place.empty() ? "/" : place;
    if (is_needed(directory)) return;  // So are all above it.
    directories_.erase(directory);
    failed_.erase(directory);
  }
}

bool PathWatch::is_needed(const std::string& directory) const {
  const std::string below = entry_of(directory, "");
  const auto detour = paths_at_.lower_bound(below);
  if (detour != paths_at_.end() && detour->first.starts_with(below)) return true;
  const auto written = below_root(directory);
  return written && listener_.needs_below(*written);
}

void PathWatch::on_event(const std::string& directory, const loop::InotifyEvent& event) {
  if (event.overflow()) {
    listener_.events_lost();
  } else if (event.directory_gone()) {
    on_end(directory);
  } else {
    const std::string place = entry_of(directory, event.name);
    if (const auto path = below_root(place)) listener_.path_event(*path);
    const auto detour = paths_at_.find(place);
    if (detour == paths_at_.end()) return;
    for (const std::string& path : detour->second) listener_.path_event(path);
  }
}

void PathWatch::on_end(const std::string& directory) {
  directories_.erase(directory);
  if (const auto path = below_root(directory)) listener_.path_event(*path);
  const std::string below = entry_of(directory, "");
  for (auto detour = paths_at_.lower_bound(below); detour != paths_at_.end(); ++detour) {
    if (!detour->first.starts_with(below)) break;
    for (const std::string& path : detour->second) listener_.path_event(path);
  }
}

/// As units write it; none: it is elsewhere.
std::optional<std::string> PathWatch::below_root(const std::string& place) const {
  if (place == "/") return root_.empty() ? std::optional<std::string>("") : std::nullopt;
  if (!is_at_or_below(place, root_)) return std::nullopt;
  return place.substr(root_.size());
}

}  // namespace patchbay::health
