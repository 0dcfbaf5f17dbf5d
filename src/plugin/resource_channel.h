#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "inventory/snapshot.h"
#include "rpc/connections.h"
#include "status/counters.h"

namespace patchbay::plugin {

/// Keeps the newest Snapshot of one resource, and passes each new one to its watchers: the
/// ListAndWatch streams. The loop thread publishes. Independent of gRPC. Thread-safe.
class SnapshotHub {
 public:
  class Watcher {
   public:
    virtual ~Watcher() = default;
    /// Records the snapshot, and does nothing else: the hub's lock is held. Called within
    /// publish(), in the order of its calls.
    virtual void note(const inventory::SnapshotPtr& newest) = 0;
    /// Processes the recorded snapshot. Called within publish() after note(), without the lock. May
    /// be called after remove().
    virtual void deliver() = 0;
  };

  explicit SnapshotHub(inventory::SnapshotPtr first) : current_(std::move(first)) {}

  /// Returns whether there was a watcher.
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

  /// Registers `watcher` for each later publish(), and returns the current snapshot. Both happen
  /// under one lock, so no snapshot is missed or delivered twice.
  [[nodiscard]] inventory::SnapshotPtr add(std::shared_ptr<Watcher> watcher) {
    const std::lock_guard lock(mutex_);
    watchers_.insert(std::move(watcher));
    return current_;
  }

  /// Unregisters `watcher`. Afterwards note() is not called for it.
  void remove(const std::shared_ptr<Watcher>& watcher) {
    const std::lock_guard lock(mutex_);
    watchers_.erase(watcher);
  }

 private:
  mutable std::mutex mutex_;
  inventory::SnapshotPtr current_;  // Guarded by mutex_, as are the watchers.
  std::set<std::shared_ptr<Watcher>> watchers_;
};

/// Encodes the list of a resource once for all its streams. The bytes are freed after the last
/// stream has sent them, to save memory. Thread-safe.
class SharedList {
 public:
  using Bytes = std::shared_ptr<const std::string>;

  /// Returns the encoded list of `snapshot`. The bytes are reused if a stream still has them.
  [[nodiscard]] Bytes of(const inventory::SnapshotPtr& snapshot);

 private:
  std::mutex mutex_;  ///< Locked during encoding, so that each list is encoded once.
  std::weak_ptr<const inventory::Snapshot> snapshot_;
  std::weak_ptr<const std::string> bytes_;
};

/// An event of the ListAndWatch streams of one resource.
enum class StreamEvent {
  opened,
  live,      ///< The first message of the stream was written.
  ended,     ///< The stream ended, for any reason.
  no_peers,  ///< On request only: no peer is connected. Events of earlier streams come before it.
};

/// The state of one resource that the loop and gRPC's thread share: the newest snapshot, and the
/// callbacks for stream events. Thread-safe.
struct ResourceChannel final : rpc::SocketOwner {
  explicit ResourceChannel(const inventory::SnapshotPtr& first,
                           std::shared_ptr<status::ResourceCounters> its_counters =
                               std::make_shared<status::ResourceCounters>())
      : SocketOwner(first->resource->name), hub(first), counters(std::move(its_counters)) {}

  SnapshotHub hub;
  std::shared_ptr<status::ResourceCounters> counters;  ///< Never null.
  /// Called on gRPC's thread; posts the event to the loop.
  std::function<void(StreamEvent)> on_stream;
  /// Called on any thread after a stream has written the list of a snapshot, or if it had written
  /// an equal list before. Posts the snapshot to the loop.
  std::function<void(const inventory::SnapshotPtr&)> on_sent = [](const auto&) {};
  bool withdrawn = false;  ///< The resource was withdrawn. Used on gRPC's thread.
  SharedList list;
};

}  // namespace patchbay::plugin
