#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "host/detours.h"
#include "host/file_writes.h"
#include "host/host_root.h"
#include "host/path_way.h"
#include "host/place_watch.h"
#include "loop/event_loop.h"
#include "loop/inotify.h"

namespace patchbay::host {

/// The inotify watches of ways to paths. Each directory that leads to some of the paths is watched
/// once, and an entry's event concerns the paths that are written with it, so that nothing is kept
/// of a path but of the links on its way. Loop thread.
class WayWatches {
 public:
  struct Callbacks {
    /// Something happened at that path, or on the way to those below it.
    std::function<void(const std::string& path)> at_or_above;
    /// Something happened where the way of that path leads through, or at its end.
    std::function<void(const std::string& path)> on_way;
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
  WayWatches(loop::EventLoop& loop, loop::Inotify& inotify, HostRoot root, Callbacks callbacks,
             uint32_t more = 0);
  WayWatches(const WayWatches&) = delete;
  WayWatches& operator=(const WayWatches&) = delete;

  struct Watched {
    bool again = false;    ///< Some of it was not when the look began, so another is needed for
                           ///< what happened meanwhile.
    bool reported = true;  ///< All that happens on it is told.
  };
  /// From now on the way to the path is that one. `mode`: the type of its end, where that is one of
  /// its places.
  Watched follow(const std::string& path, const Way& way, mode_t mode, PlaceWatch::Looks looks);
  /// The path is not followed any more: so any_below() tells by now.
  void drop(const std::string& path);

  /// A file to which the path leads is being written: written() follows.
  [[nodiscard]] bool being_written(const std::string& path) const;

 private:
  /// What is followed inside.
  struct End {
    std::set<std::string> paths;  ///< That lead there.
    std::unique_ptr<FileWrites> writes{};
    PlaceWatch watched{};

    [[nodiscard]] bool being_written() const { return writes && writes->pending(); }
  };

  /// True: look again.
  bool watch_end(const std::string& path, const Place& place, mode_t mode, PlaceWatch::Looks looks);
  void leave_end(const std::string& path);
  bool watch(PlaceWatch& watched, const Place& place, PlaceWatch::Looks looks,
             const PlaceWatch::Begin& begin);
  bool set_detours(const std::string& path, std::set<std::string> detours);
  void release_above(std::string place);
  [[nodiscard]] bool is_needed(const std::string& directory) const;
  void on_event(const std::string& directory, const loop::InotifyEvent& event);
  void on_directory_gone(const std::string& directory);
  void on_end_event(const std::string& place, const loop::InotifyEvent& event);
  void on_write(End& end, const std::string& place, const loop::InotifyEvent& event);
  [[nodiscard]] std::set<std::string> paths_to(const std::string& place) const;
  [[nodiscard]] std::optional<std::string> below_root(const std::string& place) const;

  loop::EventLoop& loop_;
  loop::Inotify& inotify_;
  HostRoot root_;
  Callbacks callbacks_;
  const uint32_t more_;
  /// By place as we see it, as all below.
  std::map<std::string, PlaceWatch> directories_;
  std::map<std::string, End> ends_;
  std::map<std::string, std::string> end_of_;  ///< By path.
  Detours detours_;
  bool cannot_watch_said_ = false;
  bool refused_ = false;  ///< A watch, since lost() was called for that.
  loop::Subscription short_;
};

}  // namespace patchbay::host
