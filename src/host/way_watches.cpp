#include "host/way_watches.h"

#include <sys/inotify.h>
#include <sys/stat.h>

#include <utility>

#include "base/log.h"

namespace patchbay::host {
namespace {

bool is_at_or_below(const std::string& path, const std::string& place) {
  return path.starts_with(place) && (path.size() == place.size() || path[place.size()] == '/');
}

}  // namespace

WayWatches::WayWatches(loop::EventLoop& loop, loop::Inotify& inotify, HostRoot root,
                       Callbacks callbacks, uint32_t more)
    : loop_(loop),
      inotify_(inotify),
      root_(std::move(root)),
      callbacks_(std::move(callbacks)),
      more_(more),
      short_(inotify.when_short([this] {
        if (std::exchange(refused_, false)) callbacks_.lost();
      })) {}

WayWatches::Watched WayWatches::follow(const std::string& path, const Way& way, mode_t mode,
                                       PlaceWatch::Looks looks) {
  Watched watched{.reported = way.reported};
  std::set<std::string> detours;
  std::optional<Place> end;
  for (const Place& place : way.places) {
    if (place.entry.empty()) {
      end = place;
      continue;
    }
    PlaceWatch& directory = directories_[place.path];
    const auto on_event = [this, at = place.path](const auto& event) { this->on_event(at, event); };
    watched.again = watch(directory, place, looks,
                          [&] { return inotify_.watch(place.path, on_event, more_); }) ||
                    watched.again;
    watched.reported = watched.reported && directory;
    std::string at = entry_of(place.path, place.entry);
    if (!is_at_or_below(root_.here(path), at)) detours.insert(std::move(at));
  }
  if (end) {
    watched.again = watch_end(path, *end, mode, looks) || watched.again;
  } else {
    leave_end(path);
  }
  watched.again = set_detours(path, std::move(detours)) || watched.again;
  return watched;
}

void WayWatches::drop(const std::string& path) {
  leave_end(path);
  static_cast<void>(set_detours(path, {}));
  release_above(root_.here(path));
}

bool WayWatches::being_written(const std::string& path) const {
  const auto end = end_of_.find(path);
  return end != end_of_.end() && ends_.at(end->second).being_written();
}

bool WayWatches::watch_end(const std::string& path, const Place& place, mode_t mode,
                           PlaceWatch::Looks looks) {
  const auto before = end_of_.find(path);
  if (before != end_of_.end() && before->second != place.path) leave_end(path);
  end_of_[path] = place.path;
  End& end = ends_[place.path];
  end.paths.insert(path);
  const auto on_event = [this, at = place.path](const auto& event) { on_end_event(at, event); };
  return watch(end.watched, place, looks, [&] {
    return S_ISDIR(mode) ? inotify_.watch(place.path, on_event)
                         : inotify_.watch_file(place.path, on_event);
  });
}

/// It leads nowhere, or elsewhere, or is not followed inside.
void WayWatches::leave_end(const std::string& path) {
  const auto before = end_of_.find(path);
  if (before == end_of_.end()) return;
  const auto end = ends_.find(before->second);
  end->second.paths.erase(path);
  if (end->second.paths.empty()) ends_.erase(end);
  end_of_.erase(before);
}

bool WayWatches::watch(PlaceWatch& watched, const Place& place, PlaceWatch::Looks looks,
                       const PlaceWatch::Begin& begin) {
  const auto again = watched.renew(place, looks, begin);
  if (again) return *again;
  refused_ = true;
  // Of a shortage it is said for all.
  if (!inotify_.is_short() && !std::exchange(cannot_watch_said_, true)) {
    log::warning("changes of some paths are noticed late", {{"reason", again.error().message}});
  }
  return false;
}

/// True: some are new.
bool WayWatches::set_detours(const std::string& path, std::set<std::string> detours) {
  const Detours::Change change = detours_.set(path, std::move(detours));
  for (const std::string& place : change.released) release_above(place);
  return change.some_new;
}

void WayWatches::release_above(std::string place) {
  while (!place.empty() && place != "/") {
    place.resize(place.rfind('/'));
    const std::string directory = place.empty() ? "/" : place;
    if (is_needed(directory)) return;  // So are all above it.
    directories_.erase(directory);
  }
}

bool WayWatches::is_needed(const std::string& directory) const {
  if (detours_.any_below(entry_of(directory, ""))) return true;
  const auto written = below_root(directory);
  return written && callbacks_.any_below(*written + '/');
}

void WayWatches::on_event(const std::string& directory, const loop::InotifyEvent& event) {
  if (event.overflow()) return callbacks_.lost();
  if (event.directory_gone()) return on_directory_gone(directory);
  // Without a name the event is of the directory itself. No directory above tells it where this one
  // is the root of a mount.
  const std::string place = event.name.empty() ? directory : entry_of(directory, event.name);
  if (const auto path = below_root(place)) callbacks_.at_or_above(*path);
  for (const std::string& path : detours_.paths_at(place)) callbacks_.on_way(path);
}

void WayWatches::on_directory_gone(const std::string& directory) {
  directories_.erase(directory);
  if (const auto path = below_root(directory)) callbacks_.at_or_above(*path);
  for (const std::string& path : detours_.paths_below(entry_of(directory, ""))) {
    callbacks_.on_way(path);
  }
}

void WayWatches::on_end_event(const std::string& place, const loop::InotifyEvent& event) {
  if (event.overflow()) return callbacks_.lost();
  const auto end = ends_.find(place);
  if (end == ends_.end()) return;
  if (event.directory_gone()) {
    end->second.watched = {};
  } else if (!event.name.empty()) {
    for (const std::string& path : paths_to(place)) callbacks_.entry(path, event);
    return;
  } else if ((event.mask & (IN_CLOSE_WRITE | IN_MODIFY)) != 0) {
    return on_write(end->second, place, event);
  } else if (end->second.being_written()) {
    return;
  }
  for (const std::string& path : paths_to(place)) callbacks_.on_way(path);  // Perhaps readable now.
}

void WayWatches::on_write(End& end, const std::string& place, const loop::InotifyEvent& event) {
  if (!end.writes) {
    end.writes = std::make_unique<FileWrites>(loop_, [this, place] {
      for (const std::string& path : paths_to(place)) callbacks_.written(path);
    });
  }
  (event.mask & IN_CLOSE_WRITE) != 0 ? end.writes->closed() : end.writes->written();
}

/// A copy: whoever hears of it may follow others, and none of these.
std::set<std::string> WayWatches::paths_to(const std::string& place) const {
  const auto end = ends_.find(place);
  return end == ends_.end() ? std::set<std::string>{} : end->second.paths;
}

/// As it is followed; none: it is elsewhere.
std::optional<std::string> WayWatches::below_root(const std::string& place) const {
  const std::string& root = root_.directory();
  if (place == "/") return root.empty() ? std::optional<std::string>("") : std::nullopt;
  if (!is_at_or_below(place, root)) return std::nullopt;
  return place.substr(root.size());
}

}  // namespace patchbay::host
