#pragma once

#include <grpcpp/server_builder.h>

namespace patchbay::serve {

/// Sets gRPC's own limits: message size, no compression, header size and concurrent calls.
void limit_peers(grpc::ServerBuilder& builder);

}  // namespace patchbay::serve
