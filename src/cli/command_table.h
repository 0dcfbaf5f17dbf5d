#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/options/option_parser.h"

/// The table of all commands. `cli.cpp` parses the arguments with this table, and runs a function
/// of cli/commands/commands.h. `candidates.h` uses the table to complete words for shells.
///
/// To add a command, add:
/// - its options in cli/options/options.h. OptionParser::Option::words, offer and paths are for
///   completion;
/// - its function in cli/commands/commands.h, and a file with the command's name. The function
///   returns a code of cli/terminal/exit_code.h, and prints results on standard output, errors on
///   standard error;
/// - its row in command_table.cpp, with an example;
/// - a test that runs it, its section in docs/commands.md, and the schema of its JSON in schemas;
/// - if the command is useful for a node of a cluster, its name in deploy/kubectl/kubectl-patchbay.
///   That script has at most 190 lines.
namespace patchbay::cli {

/// One command of patchbay, with its options and its action.
struct Command {
  std::string name;
  std::string arguments;  ///< The arguments in its usage line.
  std::string summary;
  /// Adds the command's options to the parser, and returns the function that runs the command.
  std::function<int()> (*declare)(OptionParser& parser);
  std::string footer;  ///< The end of its --help, with examples.
};

/// Returns all commands, in the order of --help.
[[nodiscard]] std::vector<Command> commands();

}  // namespace patchbay::cli
