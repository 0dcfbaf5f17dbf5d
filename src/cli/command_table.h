#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/option_parser.h"

namespace patchbay::cli {

/// What the user can ask for. --help, the shells' completions and running it all come from here.
struct Command {
  std::string name;
  std::string arguments;  ///< As in its usage.
  std::string summary;
  /// Adds its options, and returns what to do with them.
  std::function<int()> (*declare)(OptionParser& parser);
  std::string footer;  ///< Of its --help, with examples.
};

/// Every command, in the order of --help.
[[nodiscard]] std::vector<Command> commands();

}  // namespace patchbay::cli
