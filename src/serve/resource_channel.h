#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "observe/counters.h"
#include "serve/shared_list.h"
#include "serve/snapshot_hub.h"

namespace patchbay::serve {

/// What happens to the ListAndWatch streams of one resource.
enum class StreamEvent {
  opened,
  live,      ///< Its first message was written: the kubelet knows our units.
  ended,     ///< For any reason.
  no_peers,  ///< Asked for: nobody is connected, and all streams that came have been told.
};

/// One resource as gRPC's thread sees it: the newest snapshot, and whom to tell about streams.
/// Shared between the loop and gRPC's thread; thread-safe.
struct ResourceChannel {
  explicit ResourceChannel(const inventory::SnapshotPtr& first,
                           std::shared_ptr<observe::ResourceCounters> its_counters =
                               std::make_shared<observe::ResourceCounters>())
      : resource(first->resource->name), hub(first), counters(std::move(its_counters)) {}

  std::string resource;
  SnapshotHub hub;
  std::shared_ptr<observe::ResourceCounters> counters;  ///< Never null.
  /// Called on gRPC's thread; hands the event over to the loop.
  std::function<void(StreamEvent)> on_stream;
  /// A peer has. Called on any thread, while gRPC holds locks; hands it over to the loop.
  std::function<void()> on_hang_up = [] {};
  bool withdrawn = false;  ///< The resource is offered no more; gRPC's thread.
  SharedList list;
};

}  // namespace patchbay::serve
