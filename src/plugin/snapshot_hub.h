#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "inventory/snapshot.h"

namespace patchbay::plugin {

/// Keeps the newest Snapshot of one resource and notifies its watchers. The loop
/// passes each snapshot to the ListAndWatch streams through it. Independent of gRPC. Thread-safe.
class SnapshotHub {
 public:
  class Watcher {
   public:
    virtual ~Watcher() = default;
    /// Called on the publisher's thread in the order of publish(), with the hub's lock held. It
    /// must only record the snapshot.
    virtual void note(const inventory::SnapshotPtr& newest) = 0;
    /// Called after note(), on the same thread without a lock: process the snapshot. May be called
    /// after remove().
    virtual void deliver() = 0;
  };

  explicit SnapshotHub(inventory::SnapshotPtr first) : current_(std::move(first)) {}

  /// Returns whether a watcher got the snapshot.
  bool publish(inventory::SnapshotPtr next) {
    std::vector<std::shared_ptr<Watcher>> watchers;
    {
      const std::lock_guard lock(mutex_);
      current_ = std::move(next);
      for (const auto& watcher : watchers_) watcher->note(current_);
      watchers.assign(watchers_.begin(), watchers_.end());
    }
    for (const auto& watcher : watchers) watcher->deliver();
    return !watchers.empty();
  }

  [[nodiscard]] inventory::SnapshotPtr current() const {
    const std::lock_guard lock(mutex_);
    return current_;
  }

  /// Registers `watcher` for each later publish(), and returns the current snapshot. No snapshot is
  /// missed or delivered twice.
  [[nodiscard]] inventory::SnapshotPtr add(std::shared_ptr<Watcher> watcher) {
    const std::lock_guard lock(mutex_);
    watchers_.insert(std::move(watcher));
    return current_;
  }

  /// After it, note() is not called for `watcher`.
  void remove(const std::shared_ptr<Watcher>& watcher) {
    const std::lock_guard lock(mutex_);
    watchers_.erase(watcher);
  }

 private:
  mutable std::mutex mutex_;
  inventory::SnapshotPtr current_;  // Guarded by mutex_, as are the watchers.
  std::set<std::shared_ptr<Watcher>> watchers_;
};

}  // namespace patchbay::plugin
