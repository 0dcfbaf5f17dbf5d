#include "rpc/grpc_memory.h"

#include <cstdlib>

#include <absl/synchronization/mutex.h>
#include <grpc/grpc.h>

namespace patchbay::rpc {
namespace {

/// Most requests of the kubelet are smaller; a larger one is read in several chunks.
constexpr int kReadBytes = 1024;
constexpr int kMaxReadBytes = 64 << 10;

}  // namespace

void reduce_grpc_memory(grpc::ServerBuilder& builder) {
  // Debian's abseil detects deadlocks by default. That takes 512 bytes for each of gRPC's mutexes,
  // and time at each lock.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  // gRPC 1.51 keeps a buffer of 8 KiB for each connection. With this experiment off, the sizes
  // below apply. It is read once, from the environment only; an existing value is kept.
  setenv("GRPC_EXPERIMENTS", "-tcp_read_chunks", 0);
  builder.AddChannelArgument(GRPC_ARG_TCP_READ_CHUNK_SIZE, kReadBytes);
  builder.AddChannelArgument(GRPC_ARG_TCP_MIN_READ_CHUNK_SIZE, kReadBytes);
  builder.AddChannelArgument(GRPC_ARG_TCP_MAX_READ_CHUNK_SIZE, kMaxReadBytes);
  // Records of zero-copy sends, which are not used.
  builder.AddChannelArgument(GRPC_ARG_TCP_TX_ZEROCOPY_MAX_SIMULT_SENDS, 1);
}

}  // namespace patchbay::rpc
