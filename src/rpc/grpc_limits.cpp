#include "rpc/grpc_limits.h"

#include <grpc/grpc.h>

namespace patchbay::rpc {
namespace {

/// A kubelet sends some hundred bytes.
constexpr int kMaxHeaderBytes = 4 << 10;
/// A kubelet has one open stream and makes one call at a time.
constexpr int kMaxCalls = 100;

}  // namespace

void limit_peers(grpc::ServerBuilder& builder, size_t max_request_bytes) {
  builder.SetMaxReceiveMessageSize(static_cast<int>(max_request_bytes));
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMaxCalls);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, kMaxHeaderBytes);
  // A kubelet never compresses. gRPC would decompress a message before it checks the length.
  builder.AddChannelArgument(GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET,
                             1 << GRPC_COMPRESS_NONE);
  builder.AddChannelArgument(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
}

}  // namespace patchbay::rpc
