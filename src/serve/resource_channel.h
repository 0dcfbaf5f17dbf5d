#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "serve/shared_list.h"
#include "serve/snapshot_hub.h"
#include "status/counters.h"

namespace patchbay::serve {

/// An event of the ListAndWatch streams of one resource.
enum class StreamEvent {
  opened,
  live,      ///< Its first message was written: the kubelet has our list.
  ended,     ///< For any reason.
  no_peers,  ///< On request: no peer is connected, and the events of all earlier streams were sent.
};

/// The state of one resource on gRPC's thread: its newest snapshot, and callbacks for stream
/// events. Shared between the loop and gRPC's thread; thread-safe.
struct ResourceChannel {
  explicit ResourceChannel(const inventory::SnapshotPtr& first,
                           std::shared_ptr<status::ResourceCounters> its_counters =
                               std::make_shared<status::ResourceCounters>())
      : resource(first->resource->name), hub(first), counters(std::move(its_counters)) {}

  std::string resource;
  SnapshotHub hub;
  std::shared_ptr<status::ResourceCounters> counters;  ///< Never null.
  /// Called on gRPC's thread; posts the event to the loop.
  std::function<void(StreamEvent)> on_stream;
  /// A peer hung up. Called on the loop thread.
  std::function<void()> on_hang_up = [] {};
  bool withdrawn = false;  ///< The resource was withdrawn; gRPC's thread.
  SharedList list;
};

}  // namespace patchbay::serve
