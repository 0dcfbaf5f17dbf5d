#include "host/glob_source.h"

#include <sys/inotify.h>

#include <algorithm>
#include <utility>

#include "host/want_of_room.h"

namespace patchbay::host {
namespace {

std::vector<GlobPattern> cut_all(const std::vector<std::string>& patterns, const HostRoot& root) {
  std::vector<GlobPattern> cut;
  for (const std::string& pattern : patterns) cut.emplace_back(pattern, root);
  return cut;
}

/// That it looks into.
std::string directory_of(const GlobPattern& pattern) {
  return pattern.base().empty() ? "/" : pattern.base();
}

}  // namespace

GlobSource::GlobSource(loop::EventLoop& loop, Run run, PathFollower* paths,
                       const std::vector<std::string>& patterns, const HostRoot& root, Hints& hints)
    : loop_(loop),
      run_(std::move(run)),
      paths_(paths),
      patterns_(std::make_shared<const std::vector<GlobPattern>>(cut_all(patterns, root))),
      hints_(hints) {
  if (paths_ != nullptr) links_.emplace(*paths_, hints_);
}

GlobSource::~GlobSource() {
  for (const auto& [path, uses] : followed_) paths_->drop(path, *this);
}

void GlobSource::start(loop::Task listed) {
  listed_ = std::move(listed);
  if (paths_ == nullptr) return rescan();
  follow_first();
}

void GlobSource::follow_first() {
  for (size_t i = 0; i < patterns_->size(); ++i) {
    const PatternPlace place = (*patterns_)[i].first_place();
    to_follow_.insert(i);
    followed_[place.path].emplace(i, place.level);
  }
  for (const auto& [path, uses] : followed_) paths_->follow(path, *this, true);
  wait_ = loop_.after(kFollowedFirst, [this] {
    dirty_.merge(std::exchange(to_follow_, {}));
    list();
  });
  list();
}

void GlobSource::rescan() {
  for (size_t i = 0; i < patterns_->size(); ++i) dirty_.insert(i);
  list();
}

FoundByList GlobSource::found_by(const std::string& path) {
  std::vector<size_t> finding;
  for (size_t i = 0; i < patterns_->size(); ++i) {
    if (!is_cut_from(i, path) && (*patterns_)[i].matches(path)) finding.push_back(i);
  }
  const auto [list, is_new] = lists_.try_emplace(std::move(finding));
  if (is_new) {
    std::vector<FoundBy> all;
    for (const size_t i : list->first) all.push_back({.pattern = (*patterns_)[i].written()});
    list->second = FoundByList(std::move(all));
  }
  return list->second;
}

bool GlobSource::is_cut_from(size_t pattern, const std::string& path) const {
  const auto cut = cut_.find(pattern);
  return cut != cut_.end() && !std::ranges::binary_search(cut->second, path);
}

void GlobSource::looked_at(const std::string& path, bool is_link) {
  if (links_) links_->looked_at(path, is_link && follows_link(path));
}

/// Where there are more, some pattern finds more than its limit, as its next listing tells.
bool GlobSource::follows_link(const std::string& path) const {
  if (links_->size() >= patterns_->size() * GlobLimits{}.paths) return false;
  for (size_t i = 0; i < patterns_->size(); ++i) {
    if (!cut_.contains(i) && (*patterns_)[i].matches(path)) return true;
  }
  return false;
}

void GlobSource::list() {
  std::erase_if(dirty_, [&](size_t pattern) {
    if (jobs_.contains(pattern) || listing() == loop::WorkThreads::kThreads) return false;
    begin(pattern);
    return true;
  });
  if (to_follow_.empty()) wait_.reset();
  if (listed_ && listing() == 0 && to_follow_.empty()) std::exchange(listed_, nullptr)();
}

size_t GlobSource::listing() const {
  return static_cast<size_t>(std::ranges::count_if(
      jobs_, [](const auto& job) { return job.second.silence == Silence::none; }));
}

void GlobSource::begin(size_t pattern) {
  if (is_given_up(pattern)) {
    given_up_.insert(pattern);
    return tell_silence(pattern, Silence::hangs);
  }
  const auto listing = std::make_shared<Listing>(Listing{.pattern = pattern});
  const bool following = paths_ != nullptr;
  jobs_[pattern].subscription = run_(
      [listing, following, patterns = patterns_] {
        const WantOfRoom room;
        const GlobPattern& globbed = (*patterns)[listing->pattern];
        listing->found = globbed.find();
        if (following && listing->found.cut.empty()) listing->places = globbed.places();
        listing->refused = room.error();
      },
      {.done = [this, pattern,
                listing](loop::WorkOutcome outcome) { ended(pattern, outcome, *listing); },
       .lasts_long =
           [this, pattern] {
             set_silence(pattern, Silence::waits);
             list();
           },
       .ended_at_last = [this, pattern,
                         listing] { ended(pattern, loop::WorkOutcome::done, *listing); }});
}

void GlobSource::ended(size_t pattern, loop::WorkOutcome outcome, Listing& listing) {
  if (outcome == loop::WorkOutcome::timed_out) return set_silence(pattern, Silence::hangs);
  if (outcome == loop::WorkOutcome::done) {
    // What hung may have failed for that: a file system that was taken away, or mounted anew.
    if (jobs_.at(pattern).silence == Silence::hangs) {
      dirty_.insert(pattern);
      dirty_.merge(std::exchange(given_up_, {}));
    }
    if (listing.refused != 0) {
      refused(listing);
    } else {
      apply(std::move(listing));
      set_silence(pattern, Silence::none);
    }
  } else {
    given_up_.insert(pattern);
    tell_silence(pattern, Silence::hangs);
  }
  jobs_.erase(pattern);
  list();
}

/// What was found before holds.
void GlobSource::refused(const Listing& listing) {
  const GlobPattern& pattern = (*patterns_)[listing.pattern];
  hints_.listing_refused(directory_of(pattern), {pattern.written()}, listing.refused,
                         alive_.guard([index = listing.pattern](GlobSource& source) {
                           source.dirty_.insert(index);
                           source.list();
                         }));
}

void GlobSource::set_silence(size_t pattern, Silence silence) {
  Job& job = jobs_.at(pattern);
  if (job.silence == Silence::none && silence != Silence::none) job.mount = mount_of(pattern);
  job.silence = silence;
  tell_silence(pattern, silence);
}

void GlobSource::tell_silence(size_t pattern, Silence silence) {
  const GlobPattern& silent = (*patterns_)[pattern];
  hints_.pattern_silent(silent.written(), directory_of(silent), silence);
}

/// The mount table is read only where some file system may have reached its bound.
bool GlobSource::is_given_up(size_t pattern) const {
  constexpr auto kMost = static_cast<std::ptrdiff_t>(kMostOfMount);
  const auto is_silent = [](const auto& job) {
    return job.second.silence != Silence::none && !job.second.mount.empty();
  };
  if (std::ranges::count_if(jobs_, is_silent) < kMost) return false;
  const std::string mount = mount_of(pattern);
  return std::ranges::count_if(jobs_, [&](const auto& job) {
           return is_silent(job) && job.second.mount == mount;
         }) >= kMost;
}

std::string GlobSource::mount_of(size_t pattern) const {
  return hints_.place_of(directory_of((*patterns_)[pattern]));
}

/// What was found is told before it is told that the pattern answers.
void GlobSource::apply(Listing listing) {
  follow(listing);
  note_cut(listing);
  hint(std::move(listing));
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
  for (const std::string& path :
       links_ ? links_->below(pattern.base()) : std::vector<std::string>{}) {
    if (!follows_link(path)) {
      links_->looked_at(path, false);
    } else if (pattern.matches(path) && !std::ranges::binary_search(listing.found.paths, path)) {
      hints_.refresh(path);
    }
  }
  if (!listed_) hints_.scan(listing.found.paths, Urgency::known);
  hints_.scan(std::move(listing.found.paths), Urgency::unknown);
}

void GlobSource::path_event(const std::string& path) {
  const auto uses = followed_.find(path);
  if (uses == followed_.end()) return;
  for (const auto& [pattern, level] : uses->second) {
    const bool is_first = to_follow_.erase(pattern) > 0;
    if (!is_first && level == (*patterns_)[pattern].depth()) {
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
