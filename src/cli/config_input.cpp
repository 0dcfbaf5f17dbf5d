#include "cli/config_input.h"

#include <unistd.h>

#include "cli/exit_code.h"
#include "cli/terminal.h"

namespace patchbay::cli {

std::string count_of(size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

ConfigInput read_config(const ConfigOptions& options) {
  const std::string node = options.node.empty() ? daemon::default_node_name() : options.node;
  auto configuration = daemon::read_configuration(options.paths, node);
  if (!configuration.unreadable.empty()) {
    print_error("patchbay: " + configuration.unreadable + "\n");
    return {.plan = nullptr, .exit_code = kUnable};
  }
  print_error(config::render(configuration.diagnostics, wants_color(STDERR_FILENO)));
  if (!configuration.plan) {
    print_error(count_of(configuration.diagnostics.error_count(), "error") + "\n");
    return {.plan = nullptr, .exit_code = kConfigErrors};
  }
  return {.plan = std::move(configuration.plan), .exit_code = kOk};
}

}  // namespace patchbay::cli
