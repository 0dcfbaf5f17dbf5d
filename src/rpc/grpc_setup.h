#pragma once

#include <cstddef>
#include <memory>

#include <grpc/event_engine/event_engine.h>
#include <grpcpp/server_builder.h>

/// Settings of gRPC for the whole process and for a server.
namespace patchbay::rpc {

/// Sends the log lines of gRPC and libprotobuf to our log. Their errors become warnings, at most
/// one a second for each source line that logs. The field `suppressed` has the number of errors
/// that were not logged. All other lines become debug lines. Call it before any other use of both
/// libraries.
void redirect_grpc_log();

/// Reduces the memory that gRPC takes for each connection, of which there can be hundreds. The
/// behaviour does not change. Call it before the first server of the process is built: it does not
/// affect existing gRPC objects.
void reduce_grpc_memory(grpc::ServerBuilder& builder);

/// Sets gRPC's own limits: the size of a request, no compression, header size and concurrent calls.
void limit_peers(grpc::ServerBuilder& builder, size_t max_request_bytes);

/// Returns an event engine that runs gRPC's tasks and timers on one thread. The thread starts with
/// the first task, and sleeps until the next one is due. The engine implements only the methods
/// that gRPC 1.51 uses. It cannot connect, because gRPC 1.51 connects without it. Any thread.
[[nodiscard]] std::unique_ptr<grpc_event_engine::experimental::EventEngine> make_event_engine();

/// Makes gRPC use make_event_engine(), because this process has few tasks. gRPC's own engine has
/// four threads, of which one wakes up each second. Call it before gRPC is used. A second call has
/// no effect.
void install_event_engine();

}  // namespace patchbay::rpc
