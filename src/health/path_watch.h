#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/host_files.h"
#include "loop/inotify.h"

namespace patchbay::health {

/// Hears when paths come, go or are replaced that units need. Each directory that leads to some of
/// them is watched once, and an entry's event concerns the paths that are written with it, so that
/// nothing is kept of a path but of the links on its way. Loop thread.
class PathWatch {
 public:
  /// Whose paths they are.
  class Listener {
   public:
    virtual ~Listener() = default;
    /// Something happened there, which is a needed path or above some. Empty: above all.
    virtual void path_event(const std::string& path) = 0;
    virtual void events_lost() = 0;
    /// Whether there are needed paths below the directory.
    [[nodiscard]] virtual bool needs_below(const std::string& directory) const = 0;
  };

  /// `root` is put before the paths.
  PathWatch(loop::Inotify& inotify, std::string root, Listener& listener);
  PathWatch(const PathWatch&) = delete;
  PathWatch& operator=(const PathWatch&) = delete;

  /// The next follow() are of paths that are looked at from now on.
  void begin_look() { ++look_; }
  /// The way to the path as it was found. True: some of it was not watched yet when the look began,
  /// so another is needed for what happened meanwhile.
  [[nodiscard]] bool follow(const std::string& path, const std::vector<host::FilePlace>& way);
  /// The path is not needed any more.
  void drop(const std::string& path);

 private:
  struct Directory {
    loop::Subscription watch;
    dev_t device = 0;
    ino_t inode = 0;
    uint64_t look = 0;  ///< After which it was watched.
  };

  bool watch(const host::FilePlace& place);
  bool cannot_watch(const std::string& directory, const std::string& why);
  bool set_detours(const std::string& path, std::set<std::string> detours);
  void release_above(std::string place);
  [[nodiscard]] bool is_needed(const std::string& directory) const;
  void on_event(const std::string& directory, const loop::InotifyEvent& event);
  void on_end(const std::string& directory);
  [[nodiscard]] std::optional<std::string> below_root(const std::string& place) const;

  loop::Inotify& inotify_;
  std::string root_;
  Listener& listener_;
  uint64_t look_ = 0;
  std::map<std::string, Directory> directories_;
  std::map<std::string, uint64_t> failed_;  ///< Directories, and the look after which they did.
  bool cannot_watch_said_ = false;
  /// Places that links lead through, by path, and the paths by place.
  std::map<std::string, std::set<std::string>> detours_;
  std::map<std::string, std::set<std::string>> paths_at_;
};

}  // namespace patchbay::health
