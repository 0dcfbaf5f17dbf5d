#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/facts.h"
#include "host/glob_pattern.h"
#include "host/hints.h"
#include "loop/event_loop.h"
#include "loop/inotify.h"

namespace patchbay::host {

/// The paths that `glob:` patterns find, by inotify on the directories they go through, which may
/// come and go. An entry's event is a hint for that path; a directory's, to list the pattern again.
/// A directory that is renamed above all watched ones shows at the next rescan: to watch every
/// level would wake us for each file closed in /dev or /run. What a pattern finds beyond its limits
/// is left out; then nothing of it is watched, and it is listed at rescans. Loop thread; listing is
/// done in the pool.
class GlobSource {
 public:
  /// Without `inotify` the patterns are only listed.
  GlobSource(loop::EventLoop& loop, loop::Inotify* inotify,
             const std::vector<std::string>& patterns, const HostRoot& root, Hints& hints);

  /// Watches, then lists; `listed` is called when everything found has been hinted.
  void start(loop::Task listed);
  /// Lists all patterns again and looks at all they find.
  void rescan();

  /// The patterns that find this path, if it exists.
  [[nodiscard]] std::vector<FoundBy> found_by(const std::string& path) const;

 private:
  struct Watch {
    loop::Subscription subscription;
    dev_t device = 0;
    ino_t inode = 0;
    std::set<std::pair<size_t, size_t>> uses;  ///< Index of a pattern, level in it.
  };
  /// What the pool found for one pattern.
  struct Listing {
    size_t pattern = 0;
    GlobFound found{};
    std::vector<PatternDirectory> directories{};
  };

  void list();
  void apply(std::vector<Listing> listings);
  bool arm(const Listing& listing);
  bool watch(const PatternDirectory& directory);
  void note_cut(const Listing& listing);
  void hint(Listing listing);
  void on_event(const std::string& directory, const loop::InotifyEvent& event);
  void on_directory_gone(const std::string& directory);
  void on_entry(const std::string& directory, size_t pattern, size_t level,
                const loop::InotifyEvent& event);
  void drop_watches_below(const std::string& path);
  void dirty_all();

  loop::EventLoop& loop_;
  loop::Inotify* inotify_;
  std::shared_ptr<const std::vector<GlobPattern>> patterns_;
  std::string root_;
  Hints& hints_;
  std::map<std::string, Watch> watches_;  ///< By path, with the root's prefix.
  std::set<size_t> dirty_;                ///< Patterns to list again.
  /// All that is told of the patterns that find more; sorted.
  std::map<size_t, std::vector<std::string>> cut_;
  bool listing_ = false;
  bool cannot_watch_said_ = false;
  loop::Task listed_;
  std::shared_ptr<GlobSource*> self_ = std::make_shared<GlobSource*>(this);
};

}  // namespace patchbay::host
