#pragma once

#include <cstddef>

#include <grpcpp/server_builder.h>

namespace patchbay::rpc {

/// Sets gRPC's own limits: the size of a request, no compression, header size and concurrent calls.
void limit_peers(grpc::ServerBuilder& builder, size_t max_request_bytes);

}  // namespace patchbay::rpc
