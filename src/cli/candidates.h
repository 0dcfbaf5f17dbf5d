#pragma once

#include <string>
#include <vector>

#include "cli/options/options.h"

/// Completion of command lines in shells. The shell's completion script (`patchbay completion`)
/// runs `patchbay __complete WORD...`, which calls complete().
namespace patchbay::cli {

/// Prints the candidates for the last word, which can be empty. `words` are the words of a command
/// line after the program's name, up to the cursor. A candidate is a line with the whole word and,
/// after a tab, its meaning. The last line says which paths are candidates, too: ":files",
/// ":directories" or ":none". Prints no error. SIGALRM ends the process after five seconds.
int complete(const std::vector<std::string>& words);

/// Returns the names of the configuration's resources, or those of the running daemon if `config`
/// has no paths. The domain is left out if the name is unique without it. If no name without its
/// domain starts with `beginning`, all names have their domains. Empty after an error.
[[nodiscard]] std::vector<std::string> resource_names(const ConfigOptions& config,
                                                      const StatusClientOptions& daemon,
                                                      const std::string& beginning);

/// Returns the ids of all units of the running daemon. Empty after an error.
[[nodiscard]] std::vector<std::string> unit_ids(const StatusClientOptions& daemon);

/// Returns the ids that the kubelet gets for the units of a resource: one for each share. The
/// domain of `resource` is optional. Empty after an error.
[[nodiscard]] std::vector<std::string> device_ids(const StatusClientOptions& daemon,
                                                  const std::string& resource);

}  // namespace patchbay::cli
