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
  /// `loop` and `paths` must outlive this. `on_change` is called in a later loop iteration.
  FileTrigger(loop::EventLoop& loop, paths::PathFollower& paths, std::function<void()> on_change);
  FileTrigger(const FileTrigger&) = delete;
  FileTrigger& operator=(const FileTrigger&) = delete;
  ~FileTrigger() override;

  /// Call it after a read of the entity, with the files that were read for it. If some of the files
  /// were not watched during the read, the entity is read once more.
  void follow(const std::vector<std::string>& files);
  /// Call it after each read. Returns true if one of the files is being written. Then discard the
  /// result of the read, because another read follows soon. Only a limited number of successive
  /// reads is discarded. The limit is higher if `all_there` is false: a file was absent or empty.
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
  /// The references must outlive this.
  FileTriggers(loop::EventLoop& loop, paths::PathFollower& paths, Hints& hints)
      : loop_(loop), paths_(paths), hints_(hints) {}
  FileTriggers(const FileTriggers&) = delete;
  FileTriggers& operator=(const FileTriggers&) = delete;

  /// See FileTrigger::should_defer().
  [[nodiscard]] bool should_defer(const Reading& reading);
  /// Follows the files of this read, and requests a read of the entity when a file changes.
  void follow(const Reading& reading);
  /// Call it when the entity is gone.
  void forget(const std::string& key) { triggers_.erase(key); }

 private:
  loop::EventLoop& loop_;
  paths::PathFollower& paths_;
  Hints& hints_;
  std::map<std::string, FileTrigger> triggers_;  ///< By key.
};

}  // namespace patchbay::host
