#pragma once

#include <string>
#include <vector>

#include "cli/options/options.h"

/// Completion of command lines in shells. A shell has a small script, which calls complete().
namespace patchbay::cli {

/// `patchbay __complete WORD...`: the words of a command line after the program, up to the cursor;
/// the last one can be empty. Prints a line for each candidate for the last word: the whole word
/// and, after a tab, its meaning. The last line says which paths are candidates, too: ":files",
/// ":directories" or ":none". Prints no error. SIGALRM ends the process after five seconds.
int complete(const std::vector<std::string>& words);

/// The names of the configuration's resources, or of the running daemon's if there are no paths.
/// A name that is unique without its domain has none, unless only names with a domain have this
/// beginning. Empty after an error.
[[nodiscard]] std::vector<std::string> resource_names(const ConfigOptions& config,
                                                      const StatusClientOptions& daemon,
                                                      const std::string& beginning);

/// The ids of all units of the running daemon. Empty after an error.
[[nodiscard]] std::vector<std::string> unit_ids(const StatusClientOptions& daemon);

/// The ids that the kubelet has for units of one resource; the domain is optional. Empty after an
/// error.
[[nodiscard]] std::vector<std::string> device_ids(const StatusClientOptions& daemon,
                                                  const std::string& resource);

}  // namespace patchbay::cli
