#include "host/glob_source.h"

#include <sys/inotify.h>

#include <algorithm>
#include <utility>

namespace patchbay::host {
namespace {

std::vector<GlobPattern> cut_all(const std::vector<std::string>& patterns, const HostRoot& root) {
  std::vector<GlobPattern> cut;
  for (const std::string& pattern : patterns) cut.emplace_back(pattern, root);
  return cut;
}

}  // namespace

GlobSource::GlobSource(loop::EventLoop& loop, PathFollower* paths,
                       const std::vector<std::string>& patterns, const HostRoot& root, Hints& hints)
    : loop_(loop),
      paths_(paths),
      patterns_(std::make_shared<const std::vector<GlobPattern>>(cut_all(patterns, root))),
      hints_(hints) {}

GlobSource::~GlobSource() {
  for (const auto& [path, uses] : followed_) paths_->drop(path, *this);
}

void GlobSource::start(loop::Task listed) {
  listed_ = std::move(listed);
  rescan();
}

void GlobSource::rescan() {
  for (size_t i = 0; i < patterns_->size(); ++i) dirty_.insert(i);
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
  const bool following = paths_ != nullptr;
  loop_.work(
      [listings, following, patterns = patterns_] {
        for (Listing& listing : *listings) {
          const GlobPattern& pattern = (*patterns)[listing.pattern];
          listing.found = pattern.find();
          if (following && listing.found.cut.empty()) listing.places = pattern.places();
        }
      },
      alive_.guard([listings](GlobSource& source) { source.apply(std::move(*listings)); }));
}

void GlobSource::apply(std::vector<Listing> listings) {
  listing_ = false;
  for (Listing& listing : listings) {
    follow(listing);
    note_cut(listing);
    hint(std::move(listing));
  }
  list();
}

void GlobSource::follow(const Listing& listing) {
  std::map<std::string, std::set<Use>> wanted;
  for (const PatternPlace& place : listing.places) {
    wanted[place.path].emplace(listing.pattern, place.level);
  }
  for (const auto& [path, uses] : wanted) {
    auto& known = followed_[path];
    const bool is_new = known.empty();
    const size_t before = known.size();
    known.insert(uses.begin(), uses.end());
    if (is_new) {
      paths_->follow(path, *this, true);  // Its event comes when it is heard: then it is listed.
    } else if (known.size() > before) {
      dirty_.insert(listing.pattern);  // What came since it was listed was told to others alone.
    }
  }
  for (auto it = followed_.begin(); it != followed_.end();) {
    const auto still = wanted.find(it->first);
    std::erase_if(it->second, [&](const Use& use) {
      return use.first == listing.pattern &&
             (still == wanted.end() || !still->second.contains(use));
    });
    if (it->second.empty()) paths_->drop(it->first, *this);
    it = it->second.empty() ? followed_.erase(it) : std::next(it);
  }
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
  for (const std::string& path : hints_.reported_below(pattern.base())) {
    if (std::ranges::binary_search(listing.found.paths, path) || !pattern.matches(path)) continue;
    hints_.refresh(path);
  }
  if (!listed_) hints_.scan(listing.found.paths, Urgency::known);
  hints_.scan(std::move(listing.found.paths), Urgency::unknown);
}

void GlobSource::path_event(const std::string& path) {
  const auto uses = followed_.find(path);
  if (uses == followed_.end()) return;
  for (const auto& [pattern, level] : uses->second) {
    if (level == (*patterns_)[pattern].depth()) {
      hints_.refresh(path);
    } else {
      dirty_.insert(pattern);
    }
  }
  list();
}

void GlobSource::entry_event(const std::string& path, const loop::InotifyEvent& event) {
  const auto uses = followed_.find(path);
  if (uses == followed_.end()) return;
  constexpr uint32_t kMayBeDirectory =
      IN_ISDIR | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO;
  for (const auto& [index, level] : uses->second) {
    const GlobPattern& pattern = (*patterns_)[index];
    if (level == pattern.depth() || !pattern.segment_matches(level, event.name)) continue;
    if (level + 1 == pattern.depth()) {
      hints_.refresh(entry_of(path, event.name));
    } else if ((event.mask & kMayBeDirectory) != 0) {
      dirty_.insert(index);
    }
  }
  list();
}

}  // namespace patchbay::host
