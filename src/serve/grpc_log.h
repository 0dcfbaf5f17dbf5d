#pragma once

namespace patchbay::serve {

/// gRPC's own lines go through our log: its errors as warnings, the rest for debugging. Before any
/// other use of gRPC.
void redirect_grpc_log();

}  // namespace patchbay::serve
