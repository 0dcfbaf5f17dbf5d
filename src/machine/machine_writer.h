#pragma once

#include <string>
#include <vector>

#include "machine/machine.h"

namespace patchbay::machine {

/// The text of a machine, sorted: what read_machine() reads. `notes` become comments.
[[nodiscard]] std::string write_machine(const Machine& machine,
                                        const std::vector<std::string>& notes);

}  // namespace patchbay::machine
