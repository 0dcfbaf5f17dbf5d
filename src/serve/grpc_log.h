#pragma once

namespace patchbay::serve {

/// gRPC's and libprotobuf's own lines go through our log: their errors as warnings, of each place
/// in their source one a second at most, with how many `more` there were before; the rest for
/// debugging. Before any other use of them.
void redirect_grpc_log();

}  // namespace patchbay::serve
