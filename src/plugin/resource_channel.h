#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "plugin/snapshot_hub.h"
#include "rpc/connections.h"
#include "status/counters.h"

namespace patchbay::plugin {

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
