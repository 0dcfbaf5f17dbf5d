#include "paths/chain_watcher.h"

#include <sys/inotify.h>
#include <sys/stat.h>

#include <utility>

#include "base/log.h"

namespace patchbay::paths {
namespace {

constexpr uint32_t kWrites = IN_MODIFY | IN_CLOSE_WRITE;

bool is_at_or_below(const std::string& path, const std::string& point) {
  return path.starts_with(point) && (path.size() == point.size() || path[point.size()] == '/');
}

}  // namespace

Result<bool> InodeWatch::renew(const WatchPoint& point, CheckNumbers checks, const Begin& begin) {
  const bool same = device_ == point.device && inode_ == point.inode;
  if (watch_ && same) return check_ >= checks.applied;
  watch_.reset();
  device_ = point.device;
  inode_ = point.inode;
  check_ = checks.begun;
  auto watch = begin();
  if (watch) {
    failed_check_ = 0;
    watch_ = *std::move(watch);
    return true;
  }
  // After one failure the inode may just have disappeared; then the next check finds its
  // replacement.
  if (failed_check_ != 0 && failed_check_ < checks.applied)
    return std::unexpected(std::move(watch).error());
  failed_check_ = checks.begun;
  return true;
}

SymlinkTargets::Change SymlinkTargets::set(const std::string& path, std::set<std::string> targets) {
  Change change;
  const auto known = targets_.find(path);
  if (known == targets_.end() && targets.empty()) return change;
  const auto before = known == targets_.end() ? std::set<std::string>{} : std::move(known->second);
  for (const std::string& target : targets) {
    change.any_added = paths_[target].insert(path).second || change.any_added;
  }
  for (const std::string& target : before) {
    if (targets.contains(target)) continue;
    const auto paths = paths_.find(target);
    paths->second.erase(path);
    if (paths->second.empty()) paths_.erase(paths);
    change.released.push_back(target);
  }
  if (targets.empty()) {
    targets_.erase(path);
  } else {
    targets_[path] = std::move(targets);
  }
  return change;
}

std::set<std::string> SymlinkTargets::paths_at(const std::string& target) const {
  const auto found = paths_.find(target);
  return found == paths_.end() ? std::set<std::string>{} : found->second;
}

std::set<std::string> SymlinkTargets::paths_below(const std::string& directory) const {
  std::set<std::string> below;
  for (auto target = paths_.lower_bound(directory); target != paths_.end(); ++target) {
    if (!target->first.starts_with(directory)) break;
    below.insert(target->second.begin(), target->second.end());
  }
  return below;
}

bool SymlinkTargets::any_below(const std::string& directory) const {
  const auto target = paths_.lower_bound(directory);
  return target != paths_.end() && target->first.starts_with(directory);
}

ChainWatcher::ChainWatcher(loop::EventLoop& loop, loop::Inotify& inotify, HostRoot root,
                           Listener& listener, bool all_writes)
    : loop_(loop),
      inotify_(inotify),
      root_(std::move(root)),
      listener_(listener),
      all_writes_(all_writes),
      exhaustion_(inotify.on_exhaustion([this] {
        if (std::exchange(refused_, false)) listener_.events_lost();
      })) {}

ChainWatcher::Watched ChainWatcher::follow(const std::string& path, const PathChain& chain,
                                           mode_t mode, InodeWatch::CheckNumbers checks) {
  Watched watched{.reported = chain.reported};
  std::set<std::string> targets;
  std::optional<WatchPoint> end;
  for (const WatchPoint& point : chain.watch_points) {
    if (point.entry.empty()) {
      end = point;
      continue;
    }
    InodeWatch& directory = directories_[point.path];
    const auto on_event = [this, at = point.path](const auto& event) { this->on_event(at, event); };
    watched.again =
        watch(directory, point, checks,
              [&] { return inotify_.watch(point.path, on_event, all_writes_ ? IN_ATTRIB : 0); }) ||
        watched.again;
    watched.reported = watched.reported && directory;
    std::string at = entry_path(point.path, point.entry);
    if (!is_at_or_below(root_.local_path(path), at)) targets.insert(std::move(at));
  }
  if (end) {
    watched.again = watch_target(path, *end, mode, checks) || watched.again;
  } else {
    unwatch_target(path);
  }
  watched.again = set_symlink_targets(path, std::move(targets)) || watched.again;
  return watched;
}

void ChainWatcher::drop(const std::string& path) {
  unwatch_target(path);
  static_cast<void>(set_symlink_targets(path, {}));
  release_above(root_.local_path(path));
}

bool ChainWatcher::being_written(const std::string& path) const {
  const auto end = target_of_.find(path);
  return end != target_of_.end() && targets_.at(end->second).being_written();
}

bool ChainWatcher::watch_target(const std::string& path, const WatchPoint& point, mode_t mode,
                                InodeWatch::CheckNumbers checks) {
  const auto before = target_of_.find(path);
  if (before != target_of_.end() && before->second != point.path) unwatch_target(path);
  target_of_[path] = point.path;
  Target& end = targets_[point.path];
  end.paths.insert(path);
  const auto on_event = [this, at = point.path](const auto& event) { on_target_event(at, event); };
  return watch(end.watched, point, checks, [&] {
    return S_ISDIR(mode) ? inotify_.watch(point.path, on_event, all_writes_ ? kWrites : 0)
                         : inotify_.watch_file(point.path, on_event);
  });
}

/// The path leads nowhere or elsewhere, or is not followed inside.
void ChainWatcher::unwatch_target(const std::string& path) {
  const auto before = target_of_.find(path);
  if (before == target_of_.end()) return;
  const auto end = targets_.find(before->second);
  end->second.paths.erase(path);
  if (end->second.paths.empty()) targets_.erase(end);
  target_of_.erase(before);
}

bool ChainWatcher::watch(InodeWatch& watched, const WatchPoint& point,
                         InodeWatch::CheckNumbers checks, const InodeWatch::Begin& begin) {
  const auto again = watched.renew(point, checks, begin);
  if (again) return *again;
  refused_ = true;
  // An exhaustion of inotify is logged elsewhere, once for all watches.
  if (!inotify_.is_exhausted() && !std::exchange(logged_refusal_, true)) {
    log::warning(
        {"some paths cannot be watched: changes are detected late", log::EventKind::degraded},
        {{"reason", again.error().message}});
  }
  return false;
}

/// True: some are new.
bool ChainWatcher::set_symlink_targets(const std::string& path, std::set<std::string> targets) {
  const SymlinkTargets::Change change = symlink_targets_.set(path, std::move(targets));
  for (const std::string& point : change.released) release_above(point);
  return change.any_added;
}

void ChainWatcher::release_above(std::string point) {
  while (!point.empty() && point != "/") {
    point.resize(point.rfind('/'));
    const std::string directory = point.empty() ? "/" : point;
    if (is_needed(directory)) return;  // All directories above are needed, too.
    directories_.erase(directory);
  }
}

bool ChainWatcher::is_needed(const std::string& directory) const {
  if (symlink_targets_.any_below(entry_path(directory, ""))) return true;
  const auto written = below_root(directory);
  return written && listener_.follows_below(*written + '/');
}

void ChainWatcher::on_event(const std::string& directory, const loop::InotifyEvent& event) {
  if (event.overflow()) return listener_.events_lost();
  if (event.is_watch_ended()) return on_directory_gone(directory);
  // An event without a name is about the directory itself. Its parent reports nothing if the
  // directory is the root of a mount.
  const std::string point = event.name.empty() ? directory : entry_path(directory, event.name);
  if (const auto path = below_root(point)) listener_.changed_at_or_above(*path);
  for (const std::string& path : symlink_targets_.paths_at(point)) listener_.chain_changed(path);
}

void ChainWatcher::on_directory_gone(const std::string& directory) {
  directories_.erase(directory);
  if (const auto path = below_root(directory)) listener_.changed_at_or_above(*path);
  for (const std::string& path : symlink_targets_.paths_below(entry_path(directory, ""))) {
    listener_.chain_changed(path);
  }
}

void ChainWatcher::on_target_event(const std::string& point, const loop::InotifyEvent& event) {
  if (event.overflow()) return listener_.events_lost();
  const auto end = targets_.find(point);
  if (end == targets_.end()) return;
  if (event.is_watch_ended()) {
    end->second.watched = {};
  } else if (!event.name.empty() || (all_writes_ && (event.mask & kWrites) != 0)) {
    for (const std::string& path : paths_to(point)) listener_.entry_changed(path, event);
    return;
  } else if ((event.mask & kWrites) != 0) {
    return on_write(end->second, point, event);
  } else if (end->second.being_written()) {
    return;
  }
  for (const std::string& path : paths_to(point))
    listener_.chain_changed(path);  // It may have become readable.
}

void ChainWatcher::on_write(Target& end, const std::string& point,
                            const loop::InotifyEvent& event) {
  if (!end.writes) {
    end.writes = std::make_unique<WriteDebouncer>(loop_, [this, point] {
      for (const std::string& path : paths_to(point)) listener_.file_written(path);
    });
  }
  (event.mask & IN_CLOSE_WRITE) != 0 ? end.writes->on_close() : end.writes->on_write();
}

/// A copy, because a callback may change which paths are followed.
std::set<std::string> ChainWatcher::paths_to(const std::string& point) const {
  const auto end = targets_.find(point);
  return end == targets_.end() ? std::set<std::string>{} : end->second.paths;
}

/// The host path of a local path. Null: it is outside the root.
std::optional<std::string> ChainWatcher::below_root(const std::string& point) const {
  const std::string& root = root_.directory();
  if (point == "/") return root.empty() ? std::optional<std::string>("") : std::nullopt;
  if (!is_at_or_below(point, root)) return std::nullopt;
  return point.substr(root.size());
}

}  // namespace patchbay::paths
