#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "host/facts/fact_reader.h"
#include "host/hints.h"
#include "loop/event_loop.h"
#include "paths/path_follower.h"

namespace patchbay::host {

/// Re-reads an entity when a file changes that its rules compare. Changes within one loop
/// iteration, and the writes of one writer (see paths::WriteDebouncer), cause one re-read. Loop
/// thread.
class FileTrigger final : private paths::PathListener {
 public:
  /// The first two outlive this. `on_change` may be called in any later iteration.
  FileTrigger(loop::EventLoop& loop, paths::PathFollower& paths, std::function<void()> on_change);
  FileTrigger(const FileTrigger&) = delete;
  FileTrigger& operator=(const FileTrigger&) = delete;
  ~FileTrigger() override;

  /// The entity was read together with these files. If some of them were not watched during the
  /// read, it is read once more.
  void follow(const std::vector<std::string>& files);
  /// The entity was read. True: discard the result, because one of its files is being written;
  /// another read follows soon. The number of deferrals is limited. The limit is higher if a file
  /// was absent or empty, because it may be so only for a moment.
  [[nodiscard]] bool should_defer(bool all_there);

 private:
  void path_event(const std::string& path) override;

  loop::EventLoop& loop_;
  paths::PathFollower& paths_;
  std::function<void()> on_change_;
  std::set<std::string> files_;
  int deferred_ = 0;  ///< Consecutive discarded reads.
  loop::Subscription soon_;
};

/// The triggers of all entities whose rules compare files. Loop thread.
class FileTriggers {
 public:
  /// All outlive this.
  FileTriggers(loop::EventLoop& loop, paths::PathFollower& paths, Hints& hints)
      : loop_(loop), paths_(paths), hints_(hints) {}
  FileTriggers(const FileTriggers&) = delete;
  FileTriggers& operator=(const FileTriggers&) = delete;

  /// See FileTrigger::should_defer().
  [[nodiscard]] bool should_defer(const Reading& reading);
  /// Follows the files of this read from now on, and hints the entity when one changes.
  void follow(const Reading& reading);
  /// The entity is gone.
  void forget(const std::string& key) { triggers_.erase(key); }

 private:
  loop::EventLoop& loop_;
  paths::PathFollower& paths_;
  Hints& hints_;
  std::map<std::string, FileTrigger> triggers_;  ///< By key.
};

}  // namespace patchbay::host
