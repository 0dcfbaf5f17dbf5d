#include "serve/grpc_log.h"

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
}

}  // namespace patchbay::serve
