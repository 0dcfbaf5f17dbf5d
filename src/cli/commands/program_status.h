#pragma once

#include "status/node_status.h"

namespace patchbay::cli {

/// The version of this build, and the commit with its date. The commit and date are empty for a
/// build outside of a repository.
struct Build {
  const char* version;
  const char* commit;
  const char* date;
};
[[nodiscard]] Build build();

/// Returns the status of this program, with the time of the call as its start time.
[[nodiscard]] status::ProgramStatus program_status(const std::string& node);

}  // namespace patchbay::cli
