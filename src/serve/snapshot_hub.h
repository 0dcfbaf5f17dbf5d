#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <set>

#include "inventory/snapshot.h"

namespace patchbay::serve {

/// Holds the newest Snapshot of one resource and tells those who watch: the one place where state
/// crosses from the loop to gRPC's thread. Knows nothing of gRPC. Thread-safe.
class SnapshotHub {
 public:
  using Time = std::chrono::steady_clock::time_point;

  class Watcher {
   public:
    virtual ~Watcher() = default;
    /// In the publisher's thread, under the hub's lock: only note it and wake somebody up.
    /// `heard`: when the event was heard that led to it; none: it was no event.
    virtual void on_snapshot(const inventory::SnapshotPtr& newest, std::optional<Time> heard) = 0;
  };

  explicit SnapshotHub(inventory::SnapshotPtr first) : current_(std::move(first)) {}

  void publish(inventory::SnapshotPtr next, std::optional<Time> heard = {}) {
    const std::lock_guard lock(mutex_);
    current_ = std::move(next);
    for (Watcher* watcher : watchers_) watcher->on_snapshot(current_, heard);
  }

  [[nodiscard]] inventory::SnapshotPtr current() const {
    const std::lock_guard lock(mutex_);
    return current_;
  }

  /// `watcher` hears every publish() from now on; what was current at that moment is returned, so
  /// that nothing is missed or told twice.
  [[nodiscard]] inventory::SnapshotPtr add(Watcher* watcher) {
    const std::lock_guard lock(mutex_);
    watchers_.insert(watcher);
    return current_;
  }

  /// Afterwards `watcher` is never called again.
  void remove(Watcher* watcher) {
    const std::lock_guard lock(mutex_);
    watchers_.erase(watcher);
  }

 private:
  mutable std::mutex mutex_;
  inventory::SnapshotPtr current_;  // Guarded by mutex_, as are the watchers.
  std::set<Watcher*> watchers_;
};

}  // namespace patchbay::serve
