#include "host/file_watch.h"

#include <sys/inotify.h>

#include <algorithm>
#include <utility>

#include "base/log.h"

namespace patchbay::host {
namespace {

/// On a file system whose inodes have another number each time, there is no end otherwise.
constexpr int kMostLooks = 8;
/// Somebody writes a file without end: what was read must do then.
constexpr int kMostDeferred = 8;
constexpr int kMostDeferredAbsent = 40;

}  // namespace

void FileWatch::follow(const std::string& key, const std::vector<FilePlace>& places) {
  if (places.empty()) {
    drop(key);
    return;
  }
  Followed& followed = followed_[key];
  Followed now{};
  bool fresh = false;
  for (const FilePlace& place : places) {
    if (followed.watched.contains(place)) {
      now.watched.insert(place);
    } else if (arm(key, place)) {
      fresh = now.watched.insert(place).second || fresh;
    } else {
      // It may have gone meanwhile; then the next look finds what is there instead.
      const bool again = followed.failed.contains(place);
      if (again && !std::exchange(cannot_watch_said_, true)) {
        log::warning("changes of some files are noticed late", {{"reason", why_not_}});
      }
      fresh = fresh || !again;
      now.failed.insert(place);
    }
  }
  for (const FilePlace& place : followed.watched) {
    if (!now.watched.contains(place)) release(key, place);
  }
  if (fresh) now.looks = followed.looks + 1;
  followed = std::move(now);
  if (fresh && followed.looks <= kMostLooks) look_soon(key);
}

bool FileWatch::defers(const std::string& key, bool all_there) {
  const auto it = followed_.find(key);
  if (it == followed_.end()) return false;
  const auto is_being_written = [&](const FilePlace& place) {
    const auto watch = watches_.find({place.path, place.device, place.inode});
    return watch != watches_.end() && watch->second.writes && watch->second.writes->pending();
  };
  if (std::ranges::none_of(it->second.watched, is_being_written)) return false;
  return ++it->second.deferred <= (all_there ? kMostDeferred : kMostDeferredAbsent);
}

void FileWatch::drop(const std::string& key) {
  const auto it = followed_.find(key);
  if (it == followed_.end()) return;
  for (const FilePlace& place : it->second.watched) release(key, place);
  followed_.erase(it);
  to_look_at_.erase(key);
}

bool FileWatch::arm(const std::string& key, const FilePlace& place) {
  const WatchId id{place.path, place.device, place.inode};
  auto it = watches_.find(id);
  if (it == watches_.end()) {
    const auto on_event = [this, id](const auto& event) { this->on_event(id, event); };
    auto subscription = place.entry.empty() ? inotify_.watch_file(place.path, on_event)
                                            : inotify_.watch(place.path, on_event);
    if (!subscription) {
      why_not_ = subscription.error().message;
      return false;
    }
    it = watches_.emplace(id, Watch{.subscription = *std::move(subscription)}).first;
  }
  it->second.users[place.entry].insert(key);
  return true;
}

void FileWatch::release(const std::string& key, const FilePlace& place) {
  const auto it = watches_.find({place.path, place.device, place.inode});
  if (it == watches_.end()) return;
  auto& users = it->second.users;
  users[place.entry].erase(key);
  if (users[place.entry].empty()) users.erase(place.entry);
  if (users.empty()) watches_.erase(it);
}

void FileWatch::on_event(const WatchId& id, const loop::InotifyEvent& event) {
  if (event.overflow()) {
    hints_.events_lost("inotify");
    return;
  }
  if (event.directory_gone()) {
    on_end(id);
    return;
  }
  const auto it = watches_.find(id);
  if (it == watches_.end()) return;
  if (event.name.empty()) {
    on_file_event(it->second, event);
  } else {
    look_at_users(it->second, event.name);
  }
}

void FileWatch::on_file_event(Watch& watch, const loop::InotifyEvent& event) {
  if (!watch.writes) {
    watch.writes =
        std::make_unique<FileWrites>(loop_, [this, &watch] { look_at_users(watch, ""); });
  }
  if ((event.mask & IN_CLOSE_WRITE) != 0) {
    watch.writes->closed();
  } else if ((event.mask & IN_MODIFY) != 0) {
    watch.writes->written();
  } else if (!watch.writes->pending()) {
    look_at_users(watch, "");  // It may have become readable.
  }
}

void FileWatch::on_end(const WatchId& id) {
  const auto ended = watches_.extract(id);
  if (ended.empty()) return;
  const auto& [path, device, inode] = id;
  for (const auto& [entry, keys] : ended.mapped().users) {
    for (const std::string& key : keys) {
      // Not watched any more, even if the next one there has the same inode.
      if (const auto it = followed_.find(key); it != followed_.end()) {
        it->second.watched.erase({path, entry, device, inode});
      }
      look_soon(key);
    }
  }
}

void FileWatch::look_at_users(const Watch& watch, const std::string& entry) {
  const auto users = watch.users.find(entry);
  if (users == watch.users.end()) return;
  for (const std::string& key : users->second) look_soon(key);
}

void FileWatch::look_soon(const std::string& key) {
  to_look_at_.insert(key);
  if (soon_) return;
  soon_ = loop_.after(loop::Milliseconds(0), [this] {
    soon_.reset();
    for (const std::string& waiting : std::exchange(to_look_at_, {})) hints_.look(waiting);
  });
}

}  // namespace patchbay::host
