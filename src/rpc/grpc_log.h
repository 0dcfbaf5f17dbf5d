#pragma once

namespace patchbay::rpc {

/// Sends the log lines of gRPC and libprotobuf to our log. Errors become warnings, at most one a
/// second for each line of their source, with the number of `suppressed` ones. All others become
/// debug lines. Call it before any other use of both libraries.
void redirect_grpc_log();

}  // namespace patchbay::rpc
