#include "config/schema.h"

#include "cli/commands/commands.h"
#include "cli/terminal/terminal.h"

namespace patchbay::cli {

int schema() { return exit_code_of(print(config::json_schema())); }

}  // namespace patchbay::cli
