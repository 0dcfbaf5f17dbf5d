#pragma once

#include <span>
#include <string>

#include "cli/completed_command.h"

namespace patchbay::cli {

/// The script that has fish complete these commands.
[[nodiscard]] std::string fish_completion(std::span<const CompletedCommand> commands);

}  // namespace patchbay::cli
