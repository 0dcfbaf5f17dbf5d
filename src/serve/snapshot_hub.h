#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

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
    /// In the publisher's thread, under the hub's lock, so that the order is that of the
    /// publishers: only note it. `event_time`: when the event was heard that led to it; none: it
    /// was no event.
    virtual void note(const inventory::SnapshotPtr& newest, std::optional<Time> event_time) = 0;
    /// Afterwards, in the same thread and under no lock: pass it on. May come after remove().
    virtual void deliver() = 0;
  };

  explicit SnapshotHub(inventory::SnapshotPtr first) : current_(std::move(first)) {}

  void publish(inventory::SnapshotPtr next, std::optional<Time> event_time = {}) {
    std::vector<std::shared_ptr<Watcher>> watchers;
    {
      const std::lock_guard lock(mutex_);
      current_ = std::move(next);
      for (const auto& watcher : watchers_) watcher->note(current_, event_time);
      watchers.assign(watchers_.begin(), watchers_.end());
    }
    for (const auto& watcher : watchers) watcher->deliver();
  }

  [[nodiscard]] inventory::SnapshotPtr current() const {
    const std::lock_guard lock(mutex_);
    return current_;
  }

  /// `watcher` hears every publish() from now on; what was current at that moment is returned, so
  /// that nothing is missed or told twice.
  [[nodiscard]] inventory::SnapshotPtr add(std::shared_ptr<Watcher> watcher) {
    const std::lock_guard lock(mutex_);
    watchers_.insert(std::move(watcher));
    return current_;
  }

  /// Afterwards nothing more is noted for `watcher`.
  void remove(const std::shared_ptr<Watcher>& watcher) {
    const std::lock_guard lock(mutex_);
    watchers_.erase(watcher);
  }

 private:
  mutable std::mutex mutex_;
  inventory::SnapshotPtr current_;  // Guarded by mutex_, as are the watchers.
  std::set<std::shared_ptr<Watcher>> watchers_;
};

}  // namespace patchbay::serve
