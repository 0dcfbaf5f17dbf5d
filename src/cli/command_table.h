#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/options/option_parser.h"

namespace patchbay::cli {

/// One command of patchbay, with its options and its action. --help, shell completion and execution
/// use this table.
struct Command {
  std::string name;
  std::string arguments;  ///< As in its usage line.
  std::string summary;
  /// Adds its options, and returns its action.
  std::function<int()> (*declare)(OptionParser& parser);
  std::string footer;  ///< The end of its --help, with examples.
};

/// All commands, in the order of --help.
[[nodiscard]] std::vector<Command> commands();

}  // namespace patchbay::cli
