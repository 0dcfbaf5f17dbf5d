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

/// Caches the encoded list of a resource, so that all its streams send the same bytes. The bytes
/// are freed after the last send: between lists they would only take memory. Thread-safe.
class SharedList {
 public:
  using Bytes = std::shared_ptr<const std::string>;

  /// Returns the bytes for that snapshot: existing ones if a stream still has them, otherwise new
  /// ones.
  [[nodiscard]] Bytes of(const inventory::SnapshotPtr& snapshot);

 private:
  std::mutex mutex_;  ///< Locked during encoding, so that it is done once.
  std::weak_ptr<const inventory::Snapshot> snapshot_;
  std::weak_ptr<const std::string> bytes_;
};

/// An event of the ListAndWatch streams of one resource.
enum class StreamEvent {
  opened,
  live,      ///< Its first message was written: the kubelet has our list.
  ended,     ///< For any reason.
  no_peers,  ///< On request: no peer is connected, and the events of all earlier streams were sent.
};

/// The state of one resource on gRPC's thread: its newest snapshot, and callbacks for stream
/// events. Shared between the loop and gRPC's thread; thread-safe.
struct ResourceChannel final : rpc::SocketOwner {
  explicit ResourceChannel(const inventory::SnapshotPtr& first,
                           std::shared_ptr<status::ResourceCounters> its_counters =
                               std::make_shared<status::ResourceCounters>())
      : SocketOwner(first->resource->name), hub(first), counters(std::move(its_counters)) {}

  SnapshotHub hub;
  std::shared_ptr<status::ResourceCounters> counters;  ///< Never null.
  /// Called on gRPC's thread; posts the event to the loop.
  std::function<void(StreamEvent)> on_stream;
  /// Called on any thread when the kubelet has a list: a stream has sent it, or has sent an equal
  /// one before. Posts the snapshot to the loop.
  std::function<void(const inventory::SnapshotPtr&)> on_sent = [](const auto&) {};
  bool withdrawn = false;  ///< The resource was withdrawn; gRPC's thread.
  SharedList list;
};

}  // namespace patchbay::plugin
