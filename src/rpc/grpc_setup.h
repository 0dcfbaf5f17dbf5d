#pragma once

#include <cstddef>

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

}  // namespace patchbay::rpc
