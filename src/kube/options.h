#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "kube/agent.h"

namespace patchbay::kube {

/// Reads the arguments after the program's name. In a Pod the server's address comes from the
/// environment, and the files are those of the mounted service account.
[[nodiscard]] Result<AgentOptions> parse_options(std::span<const char* const> arguments);

}  // namespace patchbay::kube
