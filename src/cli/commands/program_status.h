#pragma once

#include "status/node_status.h"

namespace patchbay::cli {

/// The commit of this build and its date; both empty for a build outside of a repository.
struct Build {
  const char* version;
  const char* commit;
  const char* date;
};
[[nodiscard]] Build build();

/// The status of this program on the node with that name. Its start time is now.
[[nodiscard]] status::ProgramStatus program_status(const std::string& node);

}  // namespace patchbay::cli
