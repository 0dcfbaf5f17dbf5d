#pragma once

#include <grpcpp/server_builder.h>

namespace patchbay::rpc {

/// Reduces the memory of each connection, which dominates with hundreds of mostly idle streams. The
/// behaviour does not change. Call it before the first server of the process is built: gRPC objects
/// that exist already are not affected.
void reduce_grpc_memory(grpc::ServerBuilder& builder);

}  // namespace patchbay::rpc
