#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "loop/event_loop.h"
#include "loop/inotify.h"
#include "paths/chain_watcher.h"
#include "paths/path_checker.h"

namespace patchbay::paths {

/// Receives what PathFollower reports about paths. Loop thread.
class PathListener {
 public:
  virtual ~PathListener() = default;
  /// The path, or a directory or link that leads to it, may have changed. Also called once when the
  /// watches of the path are set.
  virtual void path_event(const std::string& /*path*/) {}
  /// An entry was added to or removed from the directory at a path that is followed with `inside`.
  virtual void entry_event(const std::string& /*path*/, const loop::InotifyEvent& /*event*/) {}
  /// With Options::all_writes: the file at a followed path, or in a followed directory, was
  /// written, or its writer closed it.
  virtual void write_event(const std::string& /*file*/, bool /*closed*/) {}
  /// The state differs from the last reported state, or is the first one.
  virtual void path_state_changed(const std::string& /*path*/, const PathState& /*state*/) {}
};

/// Follows host paths, which need not exist. It reports what exists at a path, and changes of the
/// path and of its chain: the directories and links that lead to it. On request it also reports
/// changes inside the file or directory.
///
/// Watches are set only on reliable file systems: see is_reliable_filesystem(). On other file
/// systems, only checks find changes. Loop thread; checks run on work threads.
class PathFollower final : private ChainWatcher::Listener {
 public:
  /// After kBurst events in quick succession a path is checked only once per kLeastBetweenEvents.
  static constexpr int kBurst = 8;
  static constexpr loop::Milliseconds kLeastBetweenEvents{1000};

  struct Options {
    HostRoot root{};                   ///< Same root as that of the PathChecker.
    loop::Inotify* inotify = nullptr;  ///< Null: no watches.
    /// Report changes of mode and owner as events, and each write as a write_event().
    bool all_writes = false;
    /// The delay until the next check of all paths, given the start of the last check. Null if
    /// there are no periodic checks.
    std::function<loop::Milliseconds(loop::Time began)> next_check{};
    std::function<void()> on_checked{};  ///< Called after the results of a check were delivered.
    /// Called when events were lost or watches are missing. All paths are then checked.
    std::function<void()> on_lost{};
  };

  /// All references must outlive this.
  PathFollower(loop::EventLoop& loop, PathChecker& check, Options options);
  PathFollower(const PathFollower&) = delete;
  PathFollower& operator=(const PathFollower&) = delete;
  ~PathFollower() override = default;

  /// Follows the path, and checks it soon. `inside`: also reports the entry events of a directory,
  /// or the writes to a regular file as path events. A write is reported when its writer closes the
  /// file or pauses (see WriteDebouncer), unless Options::all_writes is set.
  void follow(const std::string& path, PathListener& listener, bool inside = false);
  /// Removes the listener. A path without listeners is no longer followed.
  void drop(const std::string& path, PathListener& listener);
  /// Discards the known state of the path, so that the result of the next check is always reported.
  /// A later call of follow() starts that check.
  void forget(const std::string& path);
  /// Checks a followed path soon.
  void refresh(const std::string& path);

  /// Checks all paths and their chains, after changes without an event, such as mounts.
  void refresh();

  /// The state of a followed path at the last check.
  [[nodiscard]] PathState state(const std::string& path) const;
  /// Whether watches report every change of the path. False until its chain is known.
  [[nodiscard]] bool reports_all_changes(const std::string& path) const;
  /// Whether a file at the path is being written. A path_event() follows.
  [[nodiscard]] bool being_written(const std::string& path) const;
  /// Whether no check is queued or running. Checks delayed by kLeastBetweenEvents do not count.
  [[nodiscard]] bool idle() const { return to_check_.empty() && in_check_.empty(); }

 private:
  struct Entry {
    std::vector<PathListener*> listeners;
    PathState state;
    bool inside = false;
    bool chain_known = false;    ///< The chain of directories and links is known and watched.
    bool reported = false;       ///< All changes on the chain are reported.
    bool event_pending = false;  ///< Call path_event() when the whole chain is watched.
    int checks_in_row = 0;       ///< Consecutive checks that found a different chain.
    int burst = 0;               ///< Checks caused by events in quick succession.
    loop::Time event{};          ///< Time of the last of these events, or of a delayed check.
  };
  using Entries = std::map<std::string, Entry>;

  void changed_at_or_above(const std::string& path) override;
  void chain_changed(const std::string& path) override { note_event(path); }
  void file_written(const std::string& path) override { notify_event(path); }
  void entry_changed(const std::string& path, const loop::InotifyEvent& event) override;
  void events_lost() override;
  [[nodiscard]] bool follows_below(const std::string& directory) const override;
  void note_event(const std::string& path);
  void schedule_check();
  void defer_check(const std::string& path);
  void recheck_unresponsive();
  void refresh_all();
  void begin();
  void found(uint64_t check, const PathResults& found);
  /// Whether a path_event() is due.
  bool follow_chain(const std::string& path, Entry& entry, const PathResult& found, bool changed);
  void notify_event(const std::string& path);
  void notify(const std::string& path, const std::function<void(PathListener&)>& result);

  loop::EventLoop& loop_;
  PathChecker& checker_;
  Options options_;
  Entries entries_;
  std::set<std::string> to_check_;            ///< Paths of the next check.
  std::map<std::string, uint64_t> in_check_;  ///< Number of the running check, by path.
  std::set<std::string> later_;               ///< Paths to check after kLeastBetweenEvents.
  bool lost_ = false;                         ///< Events were lost, so all paths are in to_check_.
  loop::Time began_{};                        ///< Start of the last check.
  uint64_t last_check_ = 0;                   ///< Number of the last check that began.
  uint64_t applied_check_ = 0;  ///< Number of the check whose results are being applied.
  loop::Subscription soon_;     ///< Timer of the next check.
  loop::Subscription again_;    ///< Timer of the paths in later_.
  loop::Subscription next_;     ///< Timer of the periodic check of all paths.
  struct RunningCheck {
    std::set<std::string> open;  ///< Paths without a final result.
    loop::Subscription run;
  };
  std::map<uint64_t, RunningCheck> running_;
  std::unique_ptr<ChainWatcher> watches_;  ///< Null: no watches.
};

}  // namespace patchbay::paths
