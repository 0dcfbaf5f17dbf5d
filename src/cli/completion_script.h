#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/option_parser.h"

namespace patchbay::cli {

/// A command as its completion is made from it.
struct CompletedCommand {
  std::string name;
  std::string summary;
  std::vector<OptionParser::Option> options;  ///< And arguments.
};

/// A script that completes commands, options and their values. It needs the shell only, and asks
/// nobody while it completes.
[[nodiscard]] std::string bash_completion(std::span<const CompletedCommand> commands);
[[nodiscard]] std::string zsh_completion(std::span<const CompletedCommand> commands);

}  // namespace patchbay::cli
