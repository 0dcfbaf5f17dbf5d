#pragma once

#include <string>
#include <string_view>

#include "base/facts.h"
#include "base/result.h"
#include "rules/variable.h"

/// The id of a unit whose group gives none: what survives a replug into the same port, a reboot
/// and renumbering, as far as the device has such a thing.
namespace patchbay::rules {

/// What an id is made of.
enum class IdSource {
  written,  ///< The group's `id`.
  by,       ///< Here and below, defaults.
  name,     ///< Of a path, a directory or a static name.
  usb_serial,
  usb_port,
  pci_address,
  kernel_name,  ///< Which changes when devices come in another order.
};

/// "id", "by", "name", "usb.serial", "usb.port", "pci.address" or "kernel name".
[[nodiscard]] std::string_view word(IdSource source);

struct UnitId {
  std::string text;
  IdSource source = IdSource::written;
};

/// The name of a path, directory or static name; of a device below USB, the serial, else the port,
/// with `:INTERFACE` where there is one; below PCI, the address; else the kernel's name. Or why
/// there is none.
[[nodiscard]] Result<UnitId> default_id(const DeviceFacts& device);

/// Adds the facts that it looks at.
void want_default_id(RuleKind kind, WantedFacts& wanted);

}  // namespace patchbay::rules
