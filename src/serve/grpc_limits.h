#pragma once

#include <grpcpp/server_builder.h>

namespace patchbay::serve {

/// What gRPC itself refuses: messages that are larger than any that a kubelet has to say, that are
/// compressed, long headers, many calls at a time. FloodGuard sees to what gRPC 1.51 does not.
void limit_peers(grpc::ServerBuilder& builder);

}  // namespace patchbay::serve
