#pragma once

namespace patchbay::serve {

/// The lines of gRPC and of protobuf go through our log: their errors as warnings, the rest for
/// debugging. Before any other use of gRPC.
void redirect_grpc_log();

}  // namespace patchbay::serve
