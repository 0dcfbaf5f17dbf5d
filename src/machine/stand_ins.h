#pragma once

#include <string>

#include "machine/machine.h"

namespace patchbay::machine {

/// Replaces serials, MAC addresses, UUIDs and other identifiers of single pieces of hardware, and
/// the host's name, by stand-ins of the same shape, wherever they are in the machine. Equal values
/// stay equal, and a second snapshot of the same machine gets the same stand-ins. Rules that
/// compare an identifier no longer match.
void replace_identifiers(Machine& machine, const std::string& host_name);

}  // namespace patchbay::machine
