#pragma once

#include "observe/node_status.h"

namespace patchbay::cli {

/// Of this build: the commit, and its date; both empty where it was built from no repository.
struct Build {
  const char* version;
  const char* commit;
  const char* date;
};
[[nodiscard]] Build build();

/// This program, on the node of that name, since now.
[[nodiscard]] observe::ProgramStatus program_status(const std::string& node);

}  // namespace patchbay::cli
