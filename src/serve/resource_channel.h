#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "serve/snapshot_hub.h"

namespace patchbay::serve {

/// What happens to the ListAndWatch streams of one resource.
enum class StreamEvent {
  opened,
  live,   ///< Its first message was written: the kubelet knows our units.
  ended,  ///< For any reason.
};

/// One resource as gRPC's thread sees it: the newest snapshot, and whom to tell about streams.
/// Shared between the loop and gRPC's thread; thread-safe.
struct ResourceChannel {
  explicit ResourceChannel(const inventory::SnapshotPtr& first)
      : resource(first->resource->name), hub(first) {}

  std::string resource;
  SnapshotHub hub;
  /// Called on gRPC's thread; hands the event over to the loop.
  std::function<void(StreamEvent)> on_stream;
  bool withdrawn = false;  ///< The resource is offered no more; gRPC's thread.
};

}  // namespace patchbay::serve
