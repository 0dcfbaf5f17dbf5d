#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/facts.h"
#include "rules/text/variable.h"

/// The default id of a unit whose group has no `id`. As far as the device allows, it survives a
/// replug into the same socket, a reboot and renumbering.
namespace patchbay::rules {

/// Source of an id.
enum class IdSource {
  written,  ///< `id` of the group.
  by,       ///< Default, like the following sources.
  name,     ///< Name of a path, a directory or a static name.
  usb_serial,
  disk_serial,
  usb_socket,
  pci_address,
  kernel_name,  ///< Kernel name, which changes with the order of detection.
};

/// "id", "by", "name", "usb.serial", "disk serial", "usb.socket", "pci.address" or "kernel name".
[[nodiscard]] std::string_view word(IdSource source);

struct UnitId {
  std::string text;
  IdSource source = IdSource::written;
};

/// The default id. A path, directory or static name gives its name. A device gives the first usable
/// one of: serial of the USB device, serial of the disk, USB socket, PCI address, kernel name. All
/// but the kernel name get suffixes that distinguish the device: the USB interface, the place on
/// the hardware, the partition. The id depends only on the device, so that no other device can
/// change it. The error says why there is none.
[[nodiscard]] Result<UnitId> default_id(const DeviceFacts& device);

/// Adds the facts that the default id needs.
void want_default_id(RuleKind kind, WantedFacts& wanted);

}  // namespace patchbay::rules
