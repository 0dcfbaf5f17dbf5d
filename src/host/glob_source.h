#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/hints.h"
#include "host/host_listener.h"
#include "host/targets.h"
#include "host/unresponsive_reads.h"
#include "loop/event_loop.h"
#include "loop/weak_self.h"
#include "loop/work_queue.h"
#include "paths/glob_pattern.h"
#include "paths/mounts.h"
#include "paths/path_follower.h"

namespace patchbay::host {

/// Follows the targets of symbolic links that `glob:` patterns find, because a target may change
/// outside the directories of the pattern. Dangling links are followed, too. Loop thread.
class GlobLinks final : private paths::PathListener {
 public:
  /// Both must outlive this.
  GlobLinks(paths::PathFollower& paths, Hints& hints) : paths_(paths), hints_(hints) {}
  GlobLinks(const GlobLinks&) = delete;
  GlobLinks& operator=(const GlobLinks&) = delete;
  ~GlobLinks() override;

  /// Call it after each read of a path. If the path is a link, it is followed from then on. When
  /// its watches are set, the path is read again, because it may have changed after the first read.
  void path_checked(const std::string& path, bool is_link);
  [[nodiscard]] size_t size() const { return links_.size(); }
  /// The followed links below a directory.
  [[nodiscard]] std::vector<std::string> below(const std::string& directory) const;

 private:
  void path_event(const std::string& path) override { hints_.refresh(path); }

  paths::PathFollower& paths_;
  Hints& hints_;
  std::set<std::string> links_;
};

/// Finds the paths that match `glob:` patterns, and passes them to Hints when they change. A
/// GlobSource follows the directories in which a match can appear, including directories that do
/// not exist yet. An event for an entry causes a read of that path. An event for a directory causes
/// a new listing of the pattern. Targets of symbolic links are followed, too.
///
/// A pattern with more matches than its limit is truncated: the further matches are omitted. Such a
/// pattern is not followed, but only listed at rescans. Each pattern is listed separately on a work
/// thread, so that a slow file system delays no other pattern. Loop thread.
class GlobSource final : private paths::PathListener {
 public:
  /// After start(), the first listing of a pattern waits until its first directory is followed, but
  /// at most for this time. If the directory is followed later, the pattern is listed once more.
  static constexpr loop::Milliseconds kFollowTimeout{100};
  /// Runs `blocking` on a thread that may hang.
  using Run = std::function<loop::Subscription(loop::Task blocking, loop::WorkQueue::Callbacks)>;

  /// References and `paths` must outlive this. If `paths` is null, patterns are only listed, not
  /// followed.
  GlobSource(loop::EventLoop& loop, Run run, paths::MountOf mount_of, paths::PathFollower* paths,
             Targets& targets, Hints& hints, UnresponsiveReads& unresponsive,
             HostListener& listener);
  GlobSource(const GlobSource&) = delete;
  GlobSource& operator=(const GlobSource&) = delete;
  ~GlobSource() override;

  /// Starts to follow and list. `listed` is called after all found paths were passed to Hints,
  /// except those of unresponsive patterns.
  void start(loop::Task listed);
  /// Lists all patterns again, and passes all found paths to Hints.
  void rescan();
  /// Call it after each read of a path. `is_link`: whether the path is a symbolic link.
  void path_checked(const std::string& path, bool is_link);

 private:
  /// The reason to follow a path: the index of a pattern, and a level of that pattern. See
  /// paths::PatternWatchPoint.
  using Use = std::pair<size_t, size_t>;
  /// The result of listing one pattern.
  struct Listing {
    size_t pattern = 0;
    paths::GlobFound found{};
    std::vector<paths::PatternWatchPoint> watch_points{};
    int exhaustion_errno = 0;  ///< Errno of resource exhaustion. 0 if the other fields are valid.
  };
  /// A pattern that is being listed.
  struct Job {
    paths::Responsiveness responsiveness = paths::Responsiveness::ok;
    std::string
        mount;  ///< Mount of an unresponsive listing: see paths::Mounts::unreliable_mount_of().
    loop::Subscription subscription;
  };

  void follow_first();
  void path_event(const std::string& path) override;
  void entry_event(const std::string& path, const loop::InotifyEvent& event) override;
  void list();
  void begin(size_t pattern);
  void ended(size_t pattern, loop::WorkOutcome outcome, Listing& listing);
  void apply(Listing listing);
  /// Handles a listing that failed because of resource exhaustion.
  void listing_failed(const Listing& listing);
  /// The number of running listings that are neither slow nor unresponsive.
  [[nodiscard]] size_t concurrent_listings() const;
  void set_responsiveness(size_t pattern, paths::Responsiveness responsiveness);
  void report_responsiveness(size_t pattern, paths::Responsiveness responsiveness);
  /// Whether the pattern is skipped, because too many listings hang on its file system.
  [[nodiscard]] bool is_given_up(size_t pattern) const;
  /// Called only for unresponsive listings.
  [[nodiscard]] std::string mount_of(size_t pattern) const;
  void follow(const Listing& listing);
  void report_truncation(const Listing& listing);
  void hint(Listing listing);
  [[nodiscard]] bool follows_link(const std::string& path) const;

  loop::EventLoop& loop_;
  Run run_;
  paths::MountOf mount_of_;
  paths::PathFollower* paths_;
  Targets& targets_;
  std::shared_ptr<const std::vector<paths::GlobPattern>> patterns_;
  Hints& hints_;
  UnresponsiveReads& unresponsive_;
  HostListener& listener_;
  std::map<std::string, std::set<Use>> followed_;  ///< By path.
  std::set<size_t> dirty_;                         ///< Patterns to list.
  /// Patterns not listed yet, because their first directory is not followed yet.
  std::set<size_t> to_follow_;
  loop::Subscription follow_timer_;  ///< Fires after kFollowTimeout; ends when to_follow_ is empty.
  std::optional<GlobLinks> links_;   ///< Null: links are not followed.
  std::map<size_t, Job> jobs_;       ///< By pattern.
  /// Patterns skipped because too many listings hang. They are listed when a hung listing ends.
  std::set<size_t> given_up_;
  loop::Task on_listed_;
  loop::WeakSelf<GlobSource> weak_self_{this};
};

}  // namespace patchbay::host
