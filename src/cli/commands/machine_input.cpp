#include "cli/commands/machine_input.h"

#include "cli/commands/text_file.h"
#include "cli/terminal/terminal.h"
#include "machine/machine_files.h"
#include "machine/machine_text.h"

namespace patchbay::cli {

Result<paths::HostRoot> read_recorded_root(const std::string& file) {
  const auto text = read_text_file(file);
  if (!text) return std::unexpected(text.error());
  const auto machine = machine::read_machine(file, *text);
  if (!machine) return std::unexpected(machine.error());
  for (const std::string& note : machine->left_out) print_error("patchbay: " + note + "\n");
  return paths::HostRoot(machine::files_of(*machine));
}

}  // namespace patchbay::cli
