#pragma once

#include <span>
#include <string>

#include "cli/completed_command.h"

namespace patchbay::cli {

/// The completion script of these commands for fish.
[[nodiscard]] std::string fish_completion(std::span<const CompletedCommand> commands);

}  // namespace patchbay::cli
