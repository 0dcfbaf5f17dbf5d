#include "rpc/grpc_setup.h"

#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <absl/synchronization/mutex.h>
#include <google/protobuf/stubs/logging.h>
#include <grpc/grpc.h>
#include <grpc/support/log.h>

#include "base/log.h"
#include "base/rate_limited_log.h"
#include "base/text.h"

namespace patchbay::rpc {
namespace {

/// The lines of both libraries may contain data from a peer.
constexpr size_t kLongestLine = 500;

/// Admits one line a second for each source line of a library. A peer can cause such lines at will.
/// They contain addresses and times, so that no two are the same.
std::optional<size_t> admit(const std::string& file, int line) {
  static auto* mutex = new std::mutex;
  static auto* logs_by_line = new std::map<std::pair<std::string, int>, log::RateLimitedLog>;
  const std::lock_guard lock(*mutex);
  return (*logs_by_line)[{file, line}].admit(std::chrono::steady_clock::now());
}

void warn(const char* file, int line, std::string_view message) {
  const auto suppressed = admit(file, line);
  if (!suppressed) return;
  log::warning(printable(message, kLongestLine),
               {{"source", file}, {"suppressed", std::to_string(*suppressed)}});
}

/// Most requests of the kubelet are smaller; a larger one is read in several chunks.
constexpr int kReadBytes = 1024;
constexpr int kMaxReadBytes = 64 << 10;

/// A kubelet sends some hundred bytes.
constexpr int kMaxHeaderBytes = 4 << 10;
/// A kubelet has one open stream and makes one call at a time.
constexpr int kMaxCalls = 100;

}  // namespace

void redirect_grpc_log() {
  gpr_set_log_function([](gpr_log_func_args* line) {
    if (line->severity == GPR_LOG_SEVERITY_ERROR) {
      warn(line->file, line->line, line->message);
    } else {
      log::debug(line->message, {{"source", line->file}});
    }
  });
  google::protobuf::SetLogHandler(
      [](google::protobuf::LogLevel level, const char* file, int line, const std::string& message) {
        if (level >= google::protobuf::LOGLEVEL_ERROR) {
          warn(file, line, message);
        } else {
          log::debug(message, {{"source", file}});
        }
      });
}

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
