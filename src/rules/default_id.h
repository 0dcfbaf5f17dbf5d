#pragma once

#include <string>

#include "base/facts.h"
#include "base/result.h"
#include "rules/variable.h"

/// The id of a unit whose group gives none: what survives a replug into the same port, a reboot
/// and renumbering, as far as the device has such a thing.
namespace patchbay::rules {

/// The name of a path or directory; of a device below USB, the serial, else the port, with
/// `:INTERFACE` where there is one; below PCI, the address; else the kernel's name. Or why there is
/// none.
[[nodiscard]] Result<std::string> default_id(const DeviceFacts& device);

/// Adds the facts that it looks at.
void want_default_id(RuleKind kind, WantedFacts& wanted);

}  // namespace patchbay::rules
