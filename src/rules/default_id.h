#pragma once

#include <string>
#include <string_view>

#include "base/facts.h"
#include "base/result.h"
#include "rules/variable.h"

/// The id of a unit whose group gives none: what survives a replug into the same socket, a reboot
/// and renumbering, as far as the device has such a thing.
namespace patchbay::rules {

/// What an id is made of.
enum class IdSource {
  written,  ///< The group's `id`.
  by,       ///< Here and below, defaults.
  name,     ///< Of a path, a directory or a static name.
  usb_serial,
  disk_serial,
  usb_socket,
  pci_address,
  kernel_name,  ///< Which changes when devices come in another order.
};

/// "id", "by", "name", "usb.serial", "disk serial", "usb.socket", "pci.address" or "kernel name".
[[nodiscard]] std::string_view word(IdSource source);

struct UnitId {
  std::string text;
  IdSource source = IdSource::written;
};

/// The name of a path, directory or static name. Of a device, the first of these that it has and
/// that an id can hold: the serial of the USB device, the serial of the disk, the USB socket,
/// the PCI address, the kernel's name. Behind it, but for the kernel's name, stands what else tells
/// the device apart: the USB interface, the place on the hardware, the partition. The id depends on
/// the device only, so that no other device can change it. Or why there is none.
[[nodiscard]] Result<UnitId> default_id(const DeviceFacts& device);

/// Adds the facts that it looks at.
void want_default_id(RuleKind kind, WantedFacts& wanted);

}  // namespace patchbay::rules
