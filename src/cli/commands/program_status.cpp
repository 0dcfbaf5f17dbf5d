#include "cli/commands/program_status.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>

#include "cli/commands/built_from.h"

namespace patchbay::cli {

Build build() { return {PATCHBAY_VERSION, PATCHBAY_COMMIT, PATCHBAY_COMMIT_DATE}; }

status::ProgramStatus program_status(const std::string& node) {
  const char* const pod_namespace = std::getenv("POD_NAMESPACE");
  const char* const pod = std::getenv("POD_NAME");
  const bool is_pod = pod_namespace != nullptr && pod != nullptr;
  utsname kernel{};
  uname(&kernel);
  return {.version = build().version,
          .commit = build().commit,
          .built = build().date,
          .node = node,
          .pod = is_pod ? std::string(pod_namespace) + "/" + pod : "",
          .kernel = kernel.release,
          .process = getpid(),
          .since = std::chrono::steady_clock::now()};
}

}  // namespace patchbay::cli
