#include "serve/grpc_log.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>

#include "base/log.h"

namespace patchbay::serve {

void redirect_grpc_log() {
  gpr_set_log_function([](gpr_log_func_args* line) {
    const log::Field where{"source", line->file};
    if (line->severity == GPR_LOG_SEVERITY_ERROR) {
      log::warning(line->message, {where});
    } else {
      log::debug(line->message, {where});
    }
  });
  // Protobuf tells of each message that it cannot read, and would write by itself: not as a line of
  // ours, and on gRPC's thread, which would wait for who reads the log.
  google::protobuf::SetLogHandler([](google::protobuf::LogLevel level, const char* file,
                                     int /*line*/, const std::string& message) {
    const log::Field where{"source", file};
    if (level >= google::protobuf::LOGLEVEL_ERROR) {
      log::warning(message, {where});
    } else {
      log::debug(message, {where});
    }
  });
}

}  // namespace patchbay::serve
