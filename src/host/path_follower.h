#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "host/chain_watcher.h"
#include "host/path_checker.h"
#include "loop/event_loop.h"
#include "loop/inotify.h"

namespace patchbay::host {

/// Follows paths. Loop thread.
class PathListener {
 public:
  virtual ~PathListener() = default;
  /// Something happened there, or on the way; or it would be heard from now on if it did.
  virtual void path_event(const std::string& /*path*/) {}
  /// Something came or went in the directory there, of one that is followed `inside`.
  virtual void entry_event(const std::string& /*path*/, const loop::InotifyEvent& /*event*/) {}
  /// Something else stands there than was told, or nothing was told yet.
  virtual void path_state_changed(const std::string& /*path*/, const PathState& /*state*/) {}
};

/// Follows paths of the host, which need not exist: tells when something comes, goes or is replaced
/// there, or a directory or link on the way, or something happens inside, and what stands there.
/// Where a watch could hang, or would report nothing, is no watch: a period is the floor under all
/// that. Loop thread; it is looked on work threads.
class PathFollower {
 public:
  /// What does not answer for so long hangs.
  static constexpr loop::Milliseconds kTimeout{2000};
  /// A path at which something happens all the time is looked at some times, then that seldom.
  static constexpr int kBurst = 8;
  static constexpr loop::Milliseconds kLeastBetweenEvents{1000};

  struct Options {
    HostRoot root{};                   ///< As the PathChecker's.
    loop::Inotify* inotify = nullptr;  ///< Null: nothing is watched.
    bool permissions = false;          ///< A changed mode or owner on the way is an event, too.
    /// How long after a look at all of them began there is another; null: there is none.
    std::function<loop::Milliseconds(loop::Time began)> next_check{};
    std::function<void()> on_checked{};  ///< Something was looked at, and all is told.
    /// Events were lost, or are not told for want of watches; all paths are looked at.
    std::function<void()> on_lost{};
  };

  /// All outlive this.
  PathFollower(loop::EventLoop& loop, PathChecker& check, Options options);
  PathFollower(const PathFollower&) = delete;
  PathFollower& operator=(const PathFollower&) = delete;

  /// Looks at the path from now on, soon for the first time. `inside`: tells also what happens in
  /// what stands there, of a directory its entries' events, of a regular file that it was written,
  /// when its writer closes it or pauses; see WriteDebouncer.
  void follow(const std::string& path, PathListener& listener, bool inside = false);
  void drop(const std::string& path, PathListener& listener);
  /// Discards what was seen at the path: the next look is reported whatever it finds. follow()
  /// after it starts that look.
  void forget(const std::string& path);
  /// Looks soon at a path that is followed.
  void refresh(const std::string& path);

  /// Looks at all, also how they are reached: something may have been mounted on the way.
  void refresh();

  /// What stood at a path that is followed, when it was last looked at.
  [[nodiscard]] PathState state(const std::string& path) const;
  /// Whether everything that happens there is told, as far as is known.
  [[nodiscard]] bool reports_all_changes(const std::string& path) const;
  /// A file there is being written: an event follows.
  [[nodiscard]] bool being_written(const std::string& path) const;
  /// Every path that is to be looked at was.
  [[nodiscard]] bool idle() const { return to_check_.empty() && in_check_.empty(); }

 private:
  struct Entry {
    std::vector<PathListener*> listeners;
    PathState state;
    bool inside = false;
    bool chain_known = false;  ///< That is watched.
    bool reported = false;     ///< And all that happens on it is reported.
    bool event_pending =
        false;              ///< Some of it was not watched before: to be told when all of it is.
    int checks_in_row = 0;  ///< In a row, during each of which its way became another.
    int burst = 0;          ///< Events for which it was looked at, each soon after the last.
    loop::Time event{};     ///< The last of these.
  };
  using Entries = std::map<std::string, Entry>;

  void on_path_event(const std::string& path);
  [[nodiscard]] bool follows_below(const std::string& directory) const;
  void lost();
  void note_event(const std::string& path);
  void schedule_check();
  void defer_check(const std::string& path);
  void recheck_unresponsive();
  void refresh_all();
  void begin();
  void found(uint64_t check, const PathResults& found);
  /// Whether to tell that something happened.
  bool follow_chain(const std::string& path, Entry& entry, const PathResult& found, bool changed);
  void notify_event(const std::string& path);
  void notify(const std::string& path, const std::function<void(PathListener&)>& result);

  loop::EventLoop& loop_;
  PathChecker& checker_;
  Options options_;
  Entries entries_;
  std::set<std::string> to_check_;
  std::map<std::string, uint64_t> in_check_;  ///< With the look that has not told of it yet.
  std::set<std::string> later_;               ///< Something happened again.
  bool lost_ = false;                         ///< So all are in to_look_at_.
  loop::Time began_{};
  uint64_t last_check_ = 0;     ///< That have begun: they are numbered.
  uint64_t applied_check_ = 0;  ///< Whose findings are applied.
  loop::Subscription soon_;
  loop::Subscription again_;
  loop::Subscription next_;
  struct RunningCheck {
    std::set<std::string> open;  ///< Not told, or to be told once more.
    loop::Subscription run;
  };
  std::map<uint64_t, RunningCheck> running_;
  std::unique_ptr<ChainWatcher> watches_;  ///< Null: nothing is watched.
};

}  // namespace patchbay::host
