#include "rpc/grpc_log.h"

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <google/protobuf/stubs/logging.h>
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
  static auto* places = new std::map<std::pair<std::string, int>, log::RateLimitedLog>;
  const std::lock_guard lock(*mutex);
  return (*places)[{file, line}].admit(std::chrono::steady_clock::now());
}

void warn(const char* file, int line, std::string_view message) {
  const auto more = admit(file, line);
  if (!more) return;
  log::warning(printable(message, kLongestLine),
               {{"source", file}, {"suppressed", std::to_string(*more)}});
}

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

}  // namespace patchbay::rpc
