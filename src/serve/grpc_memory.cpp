#include "serve/grpc_memory.h"

#include <cstdlib>

#include <absl/synchronization/mutex.h>
#include <grpc/grpc.h>

namespace patchbay::serve {
namespace {

/// A request of the kubelet's is mostly smaller; a larger one is read in more pieces.
constexpr int kReadBytes = 1024;
constexpr int kMaxReadBytes = 64 << 10;

}  // namespace

void reduce_grpc_memory(grpc::ServerBuilder& builder) {
  // Debian's abseil looks for deadlocks by default: 512 bytes for each of gRPC's mutexes, and time
  // at each lock.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  // gRPC 1.51 keeps a buffer of 8 KiB at each connection, unless this experiment is off: then the
  // sizes below count. It is read once, from the environment alone; whoever set it is obeyed.
  setenv("GRPC_EXPERIMENTS", "-tcp_read_chunks", 0);
  builder.AddChannelArgument(GRPC_ARG_TCP_READ_CHUNK_SIZE, kReadBytes);
  builder.AddChannelArgument(GRPC_ARG_TCP_MIN_READ_CHUNK_SIZE, kReadBytes);
  builder.AddChannelArgument(GRPC_ARG_TCP_MAX_READ_CHUNK_SIZE, kMaxReadBytes);
  // Records of sends without a copy, which are not used.
  builder.AddChannelArgument(GRPC_ARG_TCP_TX_ZEROCOPY_MAX_SIMULT_SENDS, 1);
}

}  // namespace patchbay::serve
