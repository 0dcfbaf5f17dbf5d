#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/facts.h"
#include "rules/text/variable.h"

/// Builds the default id of a unit whose group has no `id`. As far as the device allows, the id
/// stays the same after a replug into the same socket, a reboot and a new kernel name.
namespace patchbay::rules {

/// Source of an id.
enum class IdSource {
  written,  ///< `id` of the group.
  by,       ///< `by` of the group. This and the following sources are defaults.
  name,     ///< Name of a path, a directory or a static name.
  usb_serial,
  disk_serial,
  usb_socket,
  pci_address,
  kernel_name,  ///< Kernel name, which changes with the order of detection.
};

/// Returns the source as text, such as "id", "usb.serial" or "kernel name".
[[nodiscard]] std::string_view word(IdSource source);

struct UnitId {
  std::string text;
  IdSource source = IdSource::written;
};

/// Returns the default id. For a path, directory or static name, the id is the name. For a kernel
/// device, the id is the first usable value in the order of IdSource, from usb_serial to
/// kernel_name. Each value except the kernel name gets suffixes that distinguish devices of the
/// same hardware: the USB interface, the port or function, and the partition. Other devices have no
/// effect on the id. The error says why there is no id.
[[nodiscard]] Result<UnitId> default_id(const DeviceFacts& device);

/// Adds the facts that the default id needs.
void want_default_id(RuleKind kind, WantedFacts& wanted);

}  // namespace patchbay::rules
