#pragma once

#include <grpcpp/server_builder.h>

namespace patchbay::serve {

/// With hundreds of streams that are silent most of the time, memory is what connections cost.
/// Makes them small, without a change in what they do. Called before the first server of the
/// process is built; what gRPC already uses then stays as it is.
void reduce_grpc_memory(grpc::ServerBuilder& builder);

}  // namespace patchbay::serve
