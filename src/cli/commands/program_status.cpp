#include "cli/commands/program_status.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <chrono>

#include "cli/commands/built_from.h"

namespace patchbay::cli {

Build build() { return {PATCHBAY_VERSION, PATCHBAY_COMMIT, PATCHBAY_COMMIT_DATE}; }

status::ProgramStatus program_status(const std::string& node) {
  utsname kernel{};
  uname(&kernel);
  return {.version = build().version,
          .commit = build().commit,
          .built = build().date,
          .node = node,
          .kernel = kernel.release,
          .process = getpid(),
          .since = std::chrono::steady_clock::now()};
}

}  // namespace patchbay::cli
