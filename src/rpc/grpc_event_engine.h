#pragma once

#include <memory>

#include <grpc/event_engine/event_engine.h>

namespace patchbay::rpc {

/// Returns an event engine that runs gRPC's tasks and timers on one thread. The thread starts with
/// the first task and sleeps until one is due. It implements only what gRPC 1.51 uses: it cannot
/// make connections, which gRPC makes in another way. Any thread.
[[nodiscard]] std::unique_ptr<grpc_event_engine::experimental::EventEngine> make_event_engine();

/// Makes gRPC use it. gRPC's own engine has four threads, one of which wakes up each second, though
/// there are hardly any tasks here. Call it before gRPC is used; a second call has no effect.
void install_event_engine();

}  // namespace patchbay::rpc
