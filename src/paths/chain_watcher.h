#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "loop/event_loop.h"
#include "loop/inotify.h"
#include "paths/host_root.h"
#include "paths/inode_watch.h"
#include "paths/path_chain.h"
#include "paths/symlink_targets.h"
#include "paths/write_debouncer.h"

namespace patchbay::paths {

/// Holds the inotify watches for the directories and links of followed paths. Each directory is
/// watched once for all paths, and an entry's event concerns the paths that contain it literally.
/// So only the symbolic links of a path need storage. Loop thread.
class ChainWatcher {
 public:
  struct Callbacks {
    /// The path, or a directory on the paths below it, changed.
    std::function<void(const std::string& path)> at_or_above;
    /// A link target on the path, or its end, changed.
    std::function<void(const std::string& path)> on_chain;
    /// The file to which the path leads was written.
    std::function<void(const std::string& path)> written;
    /// An entry was added to or removed from the directory to which the path leads.
    std::function<void(const std::string& path, const loop::InotifyEvent& event)> entry;
    /// Events were lost, or paths without a watch may have changed because inotify is exhausted.
    std::function<void()> lost;
    /// Whether any followed path begins with `directory`, which ends in a slash.
    std::function<bool(const std::string& directory)> any_below;
  };

  /// `inotify` outlives this. `extra_mask`: further directory events to report, such as IN_ATTRIB.
  ChainWatcher(loop::EventLoop& loop, loop::Inotify& inotify, HostRoot root, Callbacks callbacks,
               uint32_t extra_mask = 0);
  ChainWatcher(const ChainWatcher&) = delete;
  ChainWatcher& operator=(const ChainWatcher&) = delete;

  struct Watched {
    bool again = false;    ///< A watch is newer than this check: check again.
    bool reported = true;  ///< All changes on the chain are reported.
  };
  /// Sets the chain of a path. `mode`: the file type of its end, if the end is one of the watch
  /// points.
  Watched follow(const std::string& path, const PathChain& chain, mode_t mode,
                 InodeWatch::CheckNumbers checks);
  /// Stops following the path. any_below() must not count it any more.
  void drop(const std::string& path);

  /// Whether the file to which the path leads is being written. A call of written() follows.
  [[nodiscard]] bool being_written(const std::string& path) const;

 private:
  /// A file or directory that is watched inside.
  struct Target {
    std::set<std::string> paths;  ///< Followed paths that lead to it.
    std::unique_ptr<WriteDebouncer> writes{};
    InodeWatch watched{};

    [[nodiscard]] bool being_written() const { return writes && writes->pending(); }
  };

  /// True: check again.
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
  Callbacks callbacks_;
  const uint32_t extra_mask_;
  /// By local path, as are the maps below.
  std::map<std::string, InodeWatch> directories_;
  std::map<std::string, Target> targets_;
  std::map<std::string, std::string> target_of_;  ///< By followed path.
  SymlinkTargets symlink_targets_;
  bool logged_refusal_ = false;
  bool refused_ = false;  ///< A watch was refused since the last call of lost() for that.
  loop::Subscription exhaustion_;
};

}  // namespace patchbay::paths
