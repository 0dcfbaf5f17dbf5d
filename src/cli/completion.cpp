#include "cli/command_table.h"
#include "cli/commands.h"
#include "cli/completion_script.h"
#include "cli/terminal.h"

namespace patchbay::cli {

int completion(Shell shell) {
  std::vector<CompletedCommand> completed;
  for (const Command& command : commands()) {
    OptionParser parser;
    const auto unused = command.declare(parser);  // It owns what the options set.
    completed.push_back({command.name, command.summary, parser.options()});
  }
  return exit_code_of(
      print(shell == Shell::bash ? bash_completion(completed) : zsh_completion(completed)));
}

}  // namespace patchbay::cli
