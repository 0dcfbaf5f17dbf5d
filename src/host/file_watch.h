#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "host/hints.h"
#include "host/host_files.h"
#include "loop/inotify.h"

namespace patchbay::host {

/// Has a thing looked at when a file changes that rules read for it: is written, replaced, or comes
/// and goes. Directories are watched for entries that appear and disappear, files for writing, so
/// that not every write in /dev or /run wakes us. A directory that is renamed above all watched
/// ones shows at the next rescan, as in GlobSource. Loop thread.
class FileWatch {
 public:
  FileWatch(loop::Inotify& inotify, LookHints& hints) : inotify_(inotify), hints_(hints) {}

  /// A thing was read, and its files with it: these places lead to them. If some of them were not
  /// watched while it was read, it is looked at once more.
  void follow(const std::string& key, const std::vector<FilePlace>& places);
  /// The thing has gone.
  void drop(const std::string& key);

 private:
  /// The path and the inode there, since another one may come to stand there.
  using WatchId = std::tuple<std::string, dev_t, ino_t>;
  struct Watch {
    loop::Subscription subscription;
    std::map<std::string, std::set<std::string>> users;  ///< Keys by FilePlace::entry.
  };
  struct Followed {
    std::set<FilePlace> watched;
    std::set<FilePlace> failed;  ///< Cannot be watched.
    int looks = 0;  ///< In a row, after each of which something else was to be watched.
  };

  bool arm(const std::string& key, const FilePlace& place);
  void release(const std::string& key, const FilePlace& place);
  void on_event(const WatchId& id, const loop::InotifyEvent& event);
  void on_end(const WatchId& id);

  loop::Inotify& inotify_;
  LookHints& hints_;
  std::map<WatchId, Watch> watches_;
  std::map<std::string, Followed> followed_;  ///< By key.
  std::string why_not_;                       ///< Of the last that could not be watched.
  bool cannot_watch_said_ = false;
};

}  // namespace patchbay::host
