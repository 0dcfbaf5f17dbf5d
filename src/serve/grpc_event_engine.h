#pragma once

#include <memory>

#include <grpc/event_engine/event_engine.h>

namespace patchbay::serve {

/// Runs what gRPC wants to be run, at once or later, on a thread that begins with the first of it
/// and sleeps until something is due. Of gRPC's EventEngine it is what gRPC 1.51 uses: connections
/// are made in another way, and none can be made here. Any thread.
[[nodiscard]] std::unique_ptr<grpc_event_engine::experimental::EventEngine> make_event_engine();

/// Has gRPC use it. Its own has four threads, of which one wakes each second to look whether
/// anything is due, though what is done here hardly ever asks for that. Called before anything of
/// gRPC is used; again has no effect.
void install_event_engine();

}  // namespace patchbay::serve
