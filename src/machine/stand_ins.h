#pragma once

#include <string>
#include <vector>

#include "machine/machine.h"

namespace patchbay::machine {

/// Replaces values of attributes and properties that may identify hardware, a host or a person.
/// These values are also replaced where links, files and other values contain them. `host_names`:
/// names of this host. Equal values get equal stand-ins, also in another snapshot. Adds a note for
/// each changed attribute and property, because a rule that compares such a value does not match
/// the snapshot.
///
/// Names of devices, short numbers and paths of devices stay, except MAC addresses in paths. Values
/// that many pieces of hardware have in common (harmless.txt) stay, too.
void replace_identifiers(Machine& machine, std::vector<std::string>& notes,
                         const std::vector<std::string>& host_names);

}  // namespace patchbay::machine
