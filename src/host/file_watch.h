#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "host/file_writes.h"
#include "host/hints.h"
#include "host/host_files.h"
#include "loop/event_loop.h"
#include "loop/inotify.h"

namespace patchbay::host {

/// Has a thing looked at when a file changes that rules read for it: is written, replaced, or comes
/// and goes. Directories are watched for entries that appear and disappear, files for writing, so
/// that not every write in /dev or /run wakes us. What comes in one turn of the loop is one look,
/// and so is all that one writer does (see FileWrites). A directory that is renamed above all
/// watched ones shows at the next rescan, as in GlobSource. Loop thread.
class FileWatch {
 public:
  FileWatch(loop::EventLoop& loop, loop::Inotify& inotify, LookHints& hints)
      : loop_(loop), inotify_(inotify), hints_(hints) {}

  /// A thing was read, and its files with it: these places lead to them. If some of them were not
  /// watched while it was read, it is looked at once more.
  void follow(const std::string& key, const std::vector<FilePlace>& places);
  /// A thing was read. True: that does not count, since one of its files is being written; it is
  /// looked at again soon. Not for ever, though; longer if some file was absent, which may have
  /// been empty for the moment.
  [[nodiscard]] bool defers(const std::string& key, bool all_there);
  /// The thing has gone.
  void drop(const std::string& key);

 private:
  /// The path and the inode there, since another one may come to stand there.
  using WatchId = std::tuple<std::string, dev_t, ino_t>;
  struct Watch {
    loop::Subscription subscription;
    std::map<std::string, std::set<std::string>> users{};  ///< Keys by FilePlace::entry.
    std::unique_ptr<FileWrites> writes{};                  ///< Of a file.
  };
  struct Followed {
    std::set<FilePlace> watched;
    std::set<FilePlace> failed;  ///< Cannot be watched.
    int looks = 0;     ///< In a row, after each of which something else was to be watched.
    int deferred = 0;  ///< Looks in a row that did not count.
  };

  bool arm(const std::string& key, const FilePlace& place);
  void release(const std::string& key, const FilePlace& place);
  void on_event(const WatchId& id, const loop::InotifyEvent& event);
  void on_file_event(Watch& watch, const loop::InotifyEvent& event);
  void on_end(const WatchId& id);
  void look_at_users(const Watch& watch, const std::string& entry);
  void look_soon(const std::string& key);

  loop::EventLoop& loop_;
  loop::Inotify& inotify_;
  LookHints& hints_;
  std::map<WatchId, Watch> watches_;
  std::map<std::string, Followed> followed_;  ///< By key.
  std::string why_not_;                       ///< Of the last that could not be watched.
  bool cannot_watch_said_ = false;
  std::set<std::string> to_look_at_;
  loop::Subscription soon_;
};

}  // namespace patchbay::host
