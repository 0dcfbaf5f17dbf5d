#pragma once

#include <memory>

#include "machine/machine.h"
#include "paths/memory_files.h"

namespace patchbay::machine {

/// Builds the file system of the machine: /sys, udev's database, /dev and other files. Any thread.
[[nodiscard]] std::shared_ptr<const paths::MemoryFiles> files_of(const Machine& machine);

}  // namespace patchbay::machine
