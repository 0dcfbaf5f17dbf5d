#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "machine/machine.h"

namespace patchbay::machine {

/// Whether the text contains a stand-in: "standin" and ten hexadecimal digits in lower case. Any
/// thread.
[[nodiscard]] bool is_stand_in(std::string_view text);

/// Replaces identifiers of single pieces of hardware by stand-ins of the same shape, everywhere in
/// the machine and in the notes. Identifiers are serials, MAC addresses, UUIDs, WWNs, labels of
/// file systems, and the given names of the host. Equal values get equal stand-ins, also in another
/// snapshot. Positions of devices, ids of vendors and products, and names of devices stay, except
/// interface names that contain a MAC address. Rules that compare an identifier no longer match.
void replace_identifiers(Machine& machine, std::vector<std::string>& notes,
                         const std::vector<std::string>& host_names);

}  // namespace patchbay::machine
