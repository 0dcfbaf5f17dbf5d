#pragma once

#include <cstddef>
#include <memory>

#include <grpc/event_engine/event_engine.h>
#include <grpcpp/server_builder.h>

/// Settings of gRPC for the whole process, and for a server.
namespace patchbay::rpc {

/// Sends the log lines of gRPC and libprotobuf to our log. Errors become warnings, at most one a
/// second for each line of their source, with the number of `suppressed` ones. All others become
/// debug lines. Call it before any other use of both libraries.
void redirect_grpc_log();

/// Reduces the memory of each connection, which dominates with hundreds of mostly idle streams. The
/// behaviour does not change. Call it before the first server of the process is built: gRPC objects
/// that exist already are not affected.
void reduce_grpc_memory(grpc::ServerBuilder& builder);

/// Sets gRPC's own limits: the size of a request, no compression, header size and concurrent calls.
void limit_peers(grpc::ServerBuilder& builder, size_t max_request_bytes);

/// Returns an event engine that runs gRPC's tasks and timers on one thread. The thread starts with
/// the first task and sleeps until one is due. It implements only what gRPC 1.51 uses: it cannot
/// make connections, which gRPC makes in another way. Any thread.
[[nodiscard]] std::unique_ptr<grpc_event_engine::experimental::EventEngine> make_event_engine();

/// Makes gRPC use make_event_engine(). gRPC's own engine has four threads, one of which wakes up
/// each second, though there are hardly any tasks here. Call it before gRPC is used; a second call
/// has no effect.
void install_event_engine();

}  // namespace patchbay::rpc
