#pragma once

#include <string>
#include <vector>

#include "machine/machine.h"

namespace patchbay::machine {

/// Replaces values of attributes and properties that may identify hardware, a host or a person,
/// also where links, files and other values contain them. Names of devices stay, short numbers, and
/// values that many pieces of hardware have in common (harmless.txt). Equal values get equal
/// stand-ins, also in another snapshot. Paths of devices stay, except MAC addresses in them. Adds a
/// note for each attribute and property with a new value: rules that compare it no longer match.
void replace_identifiers(Machine& machine, std::vector<std::string>& notes,
                         const std::vector<std::string>& host_names);

}  // namespace patchbay::machine
