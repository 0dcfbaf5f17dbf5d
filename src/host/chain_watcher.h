#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "host/host_root.h"
#include "host/inode_watch.h"
#include "host/path_chain.h"
#include "host/symlink_targets.h"
#include "host/write_debouncer.h"
#include "loop/event_loop.h"
#include "loop/inotify.h"

namespace patchbay::host {

/// The inotify watches of ways to paths. Each directory that leads to some of the paths is watched
/// once, and an entry's event concerns the paths that are written with it, so that nothing is kept
/// of a path but of the links on its way. Loop thread.
class ChainWatcher {
 public:
  struct Callbacks {
    /// Something happened at that path, or on the way to those below it.
    std::function<void(const std::string& path)> at_or_above;
    /// Something happened where the way of that path leads through, or at its end.
    std::function<void(const std::string& path)> on_chain;
    /// The file to which that path leads was written.
    std::function<void(const std::string& path)> written;
    /// Something came or went in the directory to which that path leads.
    std::function<void(const std::string& path, const loop::InotifyEvent& event)> entry;
    /// Events were lost, or what could not be watched for want of watches may have changed.
    std::function<void()> lost;
    /// Whether a path is followed that is written below `directory`, which ends in a slash.
    std::function<bool(const std::string& directory)> any_below;
  };

  /// `inotify` outlives this. `more`: further events of directories that count, such as IN_ATTRIB.
  ChainWatcher(loop::EventLoop& loop, loop::Inotify& inotify, HostRoot root, Callbacks callbacks,
               uint32_t extra_mask = 0);
  ChainWatcher(const ChainWatcher&) = delete;
  ChainWatcher& operator=(const ChainWatcher&) = delete;

  struct Watched {
    bool again = false;    ///< Some of it was not when the look began, so another is needed for
                           ///< what happened meanwhile.
    bool reported = true;  ///< All that happens on it is told.
  };
  /// From now on the way to the path is that one. `mode`: the type of its end, where that is one of
  /// its places.
  Watched follow(const std::string& path, const PathChain& chain, mode_t mode,
                 InodeWatch::CheckNumbers checks);
  /// The path is not followed any more: so any_below() tells by now.
  void drop(const std::string& path);

  /// A file to which the path leads is being written: written() follows.
  [[nodiscard]] bool being_written(const std::string& path) const;

 private:
  /// What is followed inside.
  struct Target {
    std::set<std::string> paths;  ///< That lead there.
    std::unique_ptr<WriteDebouncer> writes{};
    InodeWatch watched{};

    [[nodiscard]] bool being_written() const { return writes && writes->pending(); }
  };

  /// True: look again.
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
  /// By place as we see it, as all below.
  std::map<std::string, InodeWatch> directories_;
  std::map<std::string, Target> targets_;
  std::map<std::string, std::string> target_of_;  ///< By path.
  SymlinkTargets symlink_targets_;
  bool logged_refusal_ = false;
  bool refused_ = false;  ///< A watch, since lost() was called for that.
  loop::Subscription exhaustion_;
};

}  // namespace patchbay::host
