#include "host/glob_source.h"

#include <sys/inotify.h>

#include <algorithm>
#include <utility>

#include "paths/resource_exhaustion.h"
#include "paths/responsiveness.h"

namespace patchbay::host {
namespace {

/// The directory that the pattern reads.
std::string directory_of(const paths::GlobPattern& pattern) {
  return pattern.base().empty() ? "/" : pattern.base();
}

}  // namespace

GlobLinks::~GlobLinks() {
  for (const std::string& link : links_) paths_.drop(link, *this);
}

void GlobLinks::path_checked(const std::string& path, bool is_link) {
  if (!is_link) {
    if (links_.erase(path) > 0) paths_.drop(path, *this);
    return;
  }
  if (!links_.insert(path).second) return;
  // Another listener follows the path already, so earlier changes were reported only to that one.
  if (paths_.reports_all_changes(path)) path_event(path);
  paths_.follow(path, *this);
}

std::vector<std::string> GlobLinks::below(const std::string& directory) const {
  std::vector<std::string> found;
  const std::string prefix = directory + '/';
  for (auto it = links_.lower_bound(prefix); it != links_.end(); ++it) {
    if (!it->starts_with(prefix)) break;
    found.push_back(*it);
  }
  return found;
}

GlobSource::GlobSource(loop::EventLoop& loop, Run run, paths::MountOf mount_of,
                       paths::PathFollower* paths, Targets& targets, Hints& hints,
                       UnresponsiveReads& unresponsive, HostListener& listener)
    : loop_(loop),
      run_(std::move(run)),
      mount_of_(std::move(mount_of)),
      paths_(paths),
      targets_(targets),
      patterns_(targets.globs()),
      hints_(hints),
      unresponsive_(unresponsive),
      listener_(listener) {
  if (paths_ != nullptr) links_.emplace(*paths_, hints_);
}

GlobSource::~GlobSource() {
  for (const auto& [path, uses] : followed_) paths_->drop(path, *this);
}

void GlobSource::start(loop::Task listed) {
  on_listed_ = std::move(listed);
  if (paths_ == nullptr) return rescan();
  follow_first();
}

void GlobSource::follow_first() {
  for (size_t i = 0; i < patterns_->size(); ++i) {
    const paths::PatternWatchPoint point = (*patterns_)[i].first_watch_point();
    to_follow_.insert(i);
    followed_[point.path].emplace(i, point.level);
  }
  for (const auto& [path, uses] : followed_) paths_->follow(path, *this, true);
  follow_timer_ = loop_.after(kFollowTimeout, [this] {
    dirty_.merge(std::exchange(to_follow_, {}));
    list();
  });
  list();
}

void GlobSource::rescan() {
  for (size_t i = 0; i < patterns_->size(); ++i) dirty_.insert(i);
  list();
}

void GlobSource::path_checked(const std::string& path, bool is_link) {
  if (links_) links_->path_checked(path, is_link && follows_link(path));
}

/// With more links, some pattern exceeds its limit, as its next listing reports.
bool GlobSource::follows_link(const std::string& path) const {
  if (links_->size() >= patterns_->size() * paths::GlobLimits{}.paths) return false;
  return targets_.unlimited_glob_matches(path);
}

void GlobSource::list() {
  std::erase_if(dirty_, [&](size_t pattern) {
    if (jobs_.contains(pattern) || concurrent_listings() == loop::kMaxConcurrent) return false;
    begin(pattern);
    return true;
  });
  if (to_follow_.empty()) follow_timer_.reset();
  if (on_listed_ && concurrent_listings() == 0 && to_follow_.empty())
    std::exchange(on_listed_, nullptr)();
}

size_t GlobSource::concurrent_listings() const {
  return static_cast<size_t>(std::ranges::count_if(jobs_, [](const auto& job) {
    return job.second.responsiveness == paths::Responsiveness::ok;
  }));
}

void GlobSource::begin(size_t pattern) {
  if (is_given_up(pattern)) {
    given_up_.insert(pattern);
    return report_responsiveness(pattern, paths::Responsiveness::unresponsive);
  }
  const auto listing = std::make_shared<Listing>(Listing{.pattern = pattern});
  const bool following = paths_ != nullptr;
  jobs_[pattern].subscription = run_(
      [listing, following, patterns = patterns_] {
        const paths::ResourceExhaustion exhaustion;
        const paths::GlobPattern& globbed = (*patterns)[listing->pattern];
        listing->found = globbed.find();
        if (following && listing->found.truncation.empty())
          listing->watch_points = globbed.watch_points();
        listing->exhaustion_errno = exhaustion.error();
      },
      {.done = [this, pattern,
                listing](loop::WorkOutcome outcome) { ended(pattern, outcome, *listing); },
       .became_slow =
           [this, pattern] {
             set_responsiveness(pattern, paths::Responsiveness::slow);
             list();
           },
       .ended_late = [this, pattern,
                      listing] { ended(pattern, loop::WorkOutcome::done, *listing); }});
}

void GlobSource::ended(size_t pattern, loop::WorkOutcome outcome, Listing& listing) {
  if (outcome == loop::WorkOutcome::timed_out)
    return set_responsiveness(pattern, paths::Responsiveness::unresponsive);
  if (outcome == loop::WorkOutcome::done) {
    // A hung listing may have failed because the file system was removed or remounted.
    if (jobs_.at(pattern).responsiveness == paths::Responsiveness::unresponsive) {
      dirty_.insert(pattern);
      dirty_.merge(std::exchange(given_up_, {}));
    }
    if (listing.exhaustion_errno != 0) {
      listing_failed(listing);
    } else {
      apply(std::move(listing));
      set_responsiveness(pattern, paths::Responsiveness::ok);
    }
  } else {
    given_up_.insert(pattern);
    report_responsiveness(pattern, paths::Responsiveness::unresponsive);
  }
  jobs_.erase(pattern);
  list();
}

/// The last result stays valid.
void GlobSource::listing_failed(const Listing& listing) {
  const paths::GlobPattern& pattern = (*patterns_)[listing.pattern];
  unresponsive_.pattern_refused(pattern.written(), directory_of(pattern), listing.exhaustion_errno,
                                weak_self_.guard([index = listing.pattern](GlobSource& source) {
                                  source.dirty_.insert(index);
                                  source.list();
                                }));
}

void GlobSource::set_responsiveness(size_t pattern, paths::Responsiveness responsiveness) {
  Job& job = jobs_.at(pattern);
  if (job.responsiveness == paths::Responsiveness::ok &&
      responsiveness != paths::Responsiveness::ok)
    job.mount = mount_of(pattern);
  job.responsiveness = responsiveness;
  report_responsiveness(pattern, responsiveness);
}

void GlobSource::report_responsiveness(size_t pattern, paths::Responsiveness responsiveness) {
  const paths::GlobPattern& reported = (*patterns_)[pattern];
  if (responsiveness == paths::Responsiveness::ok) {
    unresponsive_.pattern_answered(reported.written(), hints_);
  } else {
    unresponsive_.pattern_unresponsive(reported.written(), directory_of(reported), responsiveness);
  }
}

bool GlobSource::is_given_up(size_t pattern) const {
  return paths::is_mount_full(jobs_, [&] { return mount_of(pattern); });
}

std::string GlobSource::mount_of(size_t pattern) const {
  return mount_of_(directory_of((*patterns_)[pattern]));
}

/// The matches are hinted before the pattern is reported as responsive.
void GlobSource::apply(Listing listing) {
  follow(listing);
  report_truncation(listing);
  hint(std::move(listing));
}

void GlobSource::follow(const Listing& listing) {
  std::map<std::string, std::set<Use>> wanted;
  for (const paths::PatternWatchPoint& point : listing.watch_points) {
    wanted[point.path].emplace(listing.pattern, point.level);
  }
  for (const auto& [path, uses] : wanted) {
    auto& known = followed_[path];
    const bool is_new = known.empty();
    const size_t before = known.size();
    known.insert(uses.begin(), uses.end());
    if (is_new) {
      paths_->follow(path, *this, true);  // Once it is followed, its event causes a listing.
    } else if (known.size() > before) {
      dirty_.insert(listing.pattern);  // Earlier changes were not reported here.
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

void GlobSource::report_truncation(const Listing& listing) {
  if (listing.found.truncation.empty()) {
    targets_.unlimit_glob(listing.pattern);
  } else {
    targets_.limit_glob(listing.pattern, listing.found.paths);
  }
  listener_.pattern_truncated((*patterns_)[listing.pattern].written(), listing.found.truncation);
}

void GlobSource::hint(Listing listing) {
  const paths::GlobPattern& pattern = (*patterns_)[listing.pattern];
  for (const std::string& path : hints_.reported_below(pattern.base())) {
    if (std::ranges::binary_search(listing.found.paths, path) || !pattern.matches(path)) continue;
    hints_.refresh(path);
  }
  for (const std::string& path :
       links_ ? links_->below(pattern.base()) : std::vector<std::string>{}) {
    if (!follows_link(path)) {
      links_->path_checked(path, false);
    } else if (pattern.matches(path) && !std::ranges::binary_search(listing.found.paths, path)) {
      hints_.refresh(path);
    }
  }
  if (!on_listed_) hints_.scan(listing.found.paths, ReadReason::rescan);
  hints_.scan(std::move(listing.found.paths), ReadReason::found);
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
    const paths::GlobPattern& pattern = (*patterns_)[index];
    if (level == pattern.depth() || !pattern.segment_matches(level, event.name)) continue;
    if (level + 1 == pattern.depth()) {
      hints_.refresh(paths::entry_path(path, event.name));
    } else if ((event.mask & kMayBeDirectory) != 0) {
      dirty_.insert(index);
    }
  }
  list();
}

}  // namespace patchbay::host
