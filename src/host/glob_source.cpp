#include "host/glob_source.h"

#include <sys/inotify.h>

#include <algorithm>

#include "base/log.h"

namespace patchbay::host {
namespace {

std::vector<GlobPattern> cut_all(const std::vector<std::string>& patterns, const HostRoot& root) {
  std::vector<GlobPattern> cut;
  for (const std::string& pattern : patterns) cut.emplace_back(pattern, root);
  return cut;
}

std::string entry_of(const std::string& directory, const std::string& name) {
  return (directory == "/" ? "" : directory) + '/' + name;
}

}  // namespace

GlobSource::GlobSource(loop::EventLoop& loop, loop::Inotify* inotify,
                       const std::vector<std::string>& patterns, const HostRoot& root, Hints& hints)
    : loop_(loop),
      inotify_(inotify),
      patterns_(std::make_shared<const std::vector<GlobPattern>>(cut_all(patterns, root))),
      root_(root.directory()),
      hints_(hints) {}

void GlobSource::start(loop::Task listed) {
  listed_ = std::move(listed);
  rescan();
}

void GlobSource::rescan() {
  dirty_all();
  list();
}

std::vector<FoundBy> GlobSource::found_by(const std::string& path) const {
  std::vector<FoundBy> found;
  for (size_t i = 0; i < patterns_->size(); ++i) {
    const GlobPattern& pattern = (*patterns_)[i];
    const auto cut = cut_.find(i);
    if (cut != cut_.end() && !std::ranges::binary_search(cut->second, path)) continue;
    if (pattern.matches(path)) found.push_back({.pattern = pattern.written(), .path = path});
  }
  return found;
}

void GlobSource::list() {
  if (listing_) return;
  if (dirty_.empty()) {
    if (listed_) std::exchange(listed_, nullptr)();
    return;
  }
  listing_ = true;
  auto listings = std::make_shared<std::vector<Listing>>();
  for (const size_t pattern : dirty_) listings->push_back({.pattern = pattern});
  dirty_.clear();
  const bool watching = inotify_ != nullptr;
  loop_.work(
      [listings, watching, patterns = patterns_] {
        for (Listing& listing : *listings) {
          const GlobPattern& pattern = (*patterns)[listing.pattern];
          listing.found = pattern.find();
          if (!watching || !pattern.watchable() || !listing.found.cut.empty()) continue;
          listing.directories = pattern.directories();
        }
      },
      [listings, self = std::weak_ptr(self_)] {
        if (const auto me = self.lock()) (*me)->apply(std::move(*listings));
      });
}

void GlobSource::apply(std::vector<Listing> listings) {
  listing_ = false;
  for (Listing& listing : listings) {
    // What came before a directory was watched is not reported: list once more.
    const bool armed = arm(listing);
    if (armed) dirty_.insert(listing.pattern);
    note_cut(listing);
    if (!armed || !listed_) hint(std::move(listing));  // The first time, hint once.
  }
  list();
}

bool GlobSource::arm(const Listing& listing) {
  bool armed = false;
  std::set<std::pair<std::string, size_t>> wanted;
  for (const PatternDirectory& directory : listing.directories) {
    wanted.emplace(directory.path, directory.level);
    armed = watch(directory) || armed;
    if (const auto it = watches_.find(directory.path); it != watches_.end()) {
      armed = it->second.uses.emplace(listing.pattern, directory.level).second || armed;
    }
  }
  for (auto it = watches_.begin(); it != watches_.end();) {
    std::erase_if(it->second.uses, [&](const auto& use) {
      return use.first == listing.pattern && !wanted.contains({it->first, use.second});
    });
    it = it->second.uses.empty() ? watches_.erase(it) : std::next(it);
  }
  return armed;
}

bool GlobSource::watch(const PatternDirectory& directory) {
  const auto it = watches_.find(directory.path);
  if (it != watches_.end()) {
    Watch& old = it->second;
    if (old.device == directory.device && old.inode == directory.inode) return false;
  }
  auto subscription = inotify_->watch(
      directory.path, [this, path = directory.path](const auto& event) { on_event(path, event); });
  if (!subscription) {
    if (!std::exchange(cannot_watch_said_, true)) {
      log::warning("some directories are only looked at by the slow rescan",
                   {{"reason", subscription.error().message}});
    }
    return false;
  }
  Watch& watch = watches_[directory.path];
  watch.subscription = *std::move(subscription);
  watch.device = directory.device;
  watch.inode = directory.inode;
  return true;
}

void GlobSource::note_cut(const Listing& listing) {
  if (listing.found.cut.empty()) {
    cut_.erase(listing.pattern);
  } else {
    cut_[listing.pattern] = listing.found.paths;
  }
  hints_.pattern_cut((*patterns_)[listing.pattern].written(), listing.found.cut);
}

void GlobSource::hint(Listing listing) {
  const GlobPattern& pattern = (*patterns_)[listing.pattern];
  for (const std::string& path : hints_.told_below(pattern.base())) {
    if (std::ranges::binary_search(listing.found.paths, path) || !pattern.matches(path)) continue;
    hints_.look(path);
  }
  if (!listed_) hints_.scan(listing.found.paths, Urgency::known);
  hints_.scan(std::move(listing.found.paths), Urgency::unknown);
}

void GlobSource::on_event(const std::string& directory, const loop::InotifyEvent& event) {
  if (event.overflow()) {
    hints_.events_lost("inotify");
    return;
  }
  if (event.directory_gone()) {
    on_directory_gone(directory);
    return;
  }
  const auto it = watches_.find(directory);
  if (it == watches_.end()) return;
  const auto uses = it->second.uses;
  for (const auto& [pattern, level] : uses) {
    if ((*patterns_)[pattern].segment_matches(level, event.name)) {
      on_entry(directory, pattern, level, event);
    }
  }
  list();
}

void GlobSource::on_directory_gone(const std::string& directory) {
  const auto it = watches_.find(directory);
  if (it == watches_.end()) return;
  for (const auto& [pattern, level] : it->second.uses) dirty_.insert(pattern);
  watches_.erase(it);
  drop_watches_below(directory);
  list();
}

void GlobSource::on_entry(const std::string& directory, size_t pattern, size_t level,
                          const loop::InotifyEvent& event) {
  const std::string path = entry_of(directory, event.name);
  if (level + 1 == (*patterns_)[pattern].depth()) {
    hints_.look(path.substr(root_.size()));
    return;
  }
  constexpr uint32_t kMayBeDirectory =
      IN_ISDIR | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO;
  if ((event.mask & kMayBeDirectory) == 0) return;
  drop_watches_below(path);
  dirty_.insert(pattern);
}

void GlobSource::drop_watches_below(const std::string& path) {
  const auto below = [&](const std::string& watched) {
    return watched == path || watched.starts_with(path == "/" ? path : path + '/');
  };
  for (auto it = watches_.lower_bound(path); it != watches_.end();) {
    if (!it->first.starts_with(path)) break;
    if (!below(it->first)) {
      ++it;
      continue;
    }
    for (const auto& [pattern, level] : it->second.uses) dirty_.insert(pattern);
    it = watches_.erase(it);
  }
}

void GlobSource::dirty_all() {
  for (size_t i = 0; i < patterns_->size(); ++i) dirty_.insert(i);
}

}  // namespace patchbay::host
