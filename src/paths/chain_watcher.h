#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "loop/event_loop.h"
#include "loop/inotify.h"
#include "paths/host_root.h"
#include "paths/path_chain.h"
#include "paths/write_debouncer.h"

namespace patchbay::paths {

/// The inotify watch of a WatchPoint. It is replaced when a check of the path finds another inode
/// there. Checks are numbered when they begin. Loop thread.
class InodeWatch {
 public:
  using Begin = std::function<Result<loop::Subscription>()>;
  struct CheckNumbers {
    uint64_t begun = 0;    ///< Number of the check that began last.
    uint64_t applied = 0;  ///< Number of the check whose result is being applied.
  };

  /// Applies what a check found. `begin` sets a watch. Returns true if the path must be checked
  /// again, for one of two reasons. The watch can be newer than the check, so that changes in
  /// between were missed. Or `begin` failed for the first time, perhaps because the inode has just
  /// disappeared. Returns an Error if the inode cannot be watched.
  Result<bool> renew(const WatchPoint& point, CheckNumbers checks, const Begin& begin);

  explicit operator bool() const { return static_cast<bool>(watch_); }

 private:
  loop::Subscription watch_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  uint64_t check_ = 0;         ///< Newest check that began before the watch was set.
  uint64_t failed_check_ = 0;  ///< Newest check that began before the watch failed. 0: none failed.
};

/// Maps each followed path to its targets. These are the directory entries on its chain that are
/// not a prefix of the path itself, because a symbolic link leads there. Example: if /a/link is a
/// link to /b, then /a/link/x has the targets /b and /b/x. Targets are local paths. Pure.
class SymlinkTargets {
 public:
  struct Change {
    bool any_added = false;               ///< The path has a new target.
    std::vector<std::string> released{};  ///< Targets through which the path led before.
  };
  /// Replaces the targets of the path.
  Change set(const std::string& path, std::set<std::string> targets);

  /// The followed paths that have this target.
  [[nodiscard]] std::set<std::string> paths_at(const std::string& target) const;
  /// The followed paths that have a target below `directory`, which ends in a slash.
  [[nodiscard]] std::set<std::string> paths_below(const std::string& directory) const;
  [[nodiscard]] bool any_below(const std::string& directory) const;

 private:
  std::map<std::string, std::set<std::string>> targets_;  ///< By path.
  std::map<std::string, std::set<std::string>> paths_;    ///< By target.
};

/// Watches the directories and links of followed paths with inotify. Each directory is watched once
/// for all paths. An event of an entry concerns all followed paths at or below the entry, which a
/// comparison of the texts finds. The event also concerns paths that reach the entry through a
/// symbolic link. The texts of these paths do not show the link, so SymlinkTargets stores the
/// targets of each path. Loop thread.
class ChainWatcher {
 public:
  class Listener {
   public:
    virtual ~Listener() = default;
    /// The directory entry `path` changed. This affects all followed paths at and below `path`.
    virtual void changed_at_or_above(const std::string& path) = 0;
    /// The file or directory at the end of `path` changed, or one of the targets of `path` changed:
    /// see SymlinkTargets.
    virtual void chain_changed(const std::string& path) = 0;
    /// The file to which the path leads was written.
    virtual void file_written(const std::string& path) = 0;
    /// An entry was added to or removed from the directory to which the path leads.
    virtual void entry_changed(const std::string& path, const loop::InotifyEvent& event) = 0;
    /// Events were lost. Or a watch was refused because inotify is exhausted, so a path without a
    /// watch may have changed.
    virtual void events_lost() = 0;
    /// Whether any followed path begins with `directory`, which ends in a slash.
    [[nodiscard]] virtual bool follows_below(const std::string& directory) const = 0;
  };

  /// `inotify` and `listener` must outlive this. `all_writes`: see PathFollower::Options.
  ChainWatcher(loop::EventLoop& loop, loop::Inotify& inotify, HostRoot root, Listener& listener,
               bool all_writes = false);
  ChainWatcher(const ChainWatcher&) = delete;
  ChainWatcher& operator=(const ChainWatcher&) = delete;

  struct Watched {
    bool again = false;    ///< Check again: a watch or target is new, or a watch failed.
    bool reported = true;  ///< All changes on the chain are reported.
  };
  /// Watches the chain of a path, as a check found it. `mode`: the file type at the end of the
  /// path, if the end is one of the watch points.
  Watched follow(const std::string& path, const PathChain& chain, mode_t mode,
                 InodeWatch::CheckNumbers checks);
  /// Stops following the path. Listener::follows_below() must already ignore the path.
  void drop(const std::string& path);

  /// Whether the file to which the path leads is being written. A call of file_written() follows.
  [[nodiscard]] bool being_written(const std::string& path) const;

 private:
  /// A file or directory at the end of followed paths that is watched for changes inside.
  struct Target {
    std::set<std::string> paths;  ///< Followed paths that lead to it.
    std::unique_ptr<WriteDebouncer> writes{};
    InodeWatch watched{};

    [[nodiscard]] bool being_written() const { return writes && writes->pending(); }
  };

  /// Returns whether to check again.
  bool watch_target(const std::string& path, const WatchPoint& point, mode_t mode,
                    InodeWatch::CheckNumbers checks);
  void unwatch_target(const std::string& path);
  bool watch(InodeWatch& watched, const WatchPoint& point, InodeWatch::CheckNumbers checks,
             const InodeWatch::Begin& begin);
  bool set_symlink_targets(const std::string& path, std::set<std::string> targets);
  void release_above(std::string point);
  [[nodiscard]] bool is_needed(const std::string& directory) const;
  void on_event(const std::string& directory, const loop::InotifyEvent& event);
  void on_directory_gone(const std::string& directory);
  void on_target_event(const std::string& point, const loop::InotifyEvent& event);
  void on_write(Target& end, const std::string& point, const loop::InotifyEvent& event);
  [[nodiscard]] std::set<std::string> paths_to(const std::string& point) const;
  [[nodiscard]] std::optional<std::string> below_root(const std::string& point) const;

  loop::EventLoop& loop_;
  loop::Inotify& inotify_;
  HostRoot root_;
  Listener& listener_;
  const bool all_writes_;
  /// By local path, as are the maps below.
  std::map<std::string, InodeWatch> directories_;
  std::map<std::string, Target> targets_;
  std::map<std::string, std::string> target_of_;  ///< By followed path.
  SymlinkTargets symlink_targets_;
  bool logged_refusal_ = false;
  bool refused_ = false;  ///< A watch was refused since exhaustion_ last called events_lost().
  loop::Subscription exhaustion_;
};

}  // namespace patchbay::paths
