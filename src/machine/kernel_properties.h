#pragma once

#include "machine/machine.h"

namespace patchbay::machine {

/// Fills empty fields of a device from its properties, and adds attributes if the device has none.
/// The output of `udevadm info --export-db` has no attributes, but the kernel repeats the ids of
/// PCI and USB devices as properties. Sources: drivers/pci/pci-driver.c and drivers/usb/core/usb.c
/// in the kernel.
void complete_from_properties(Device& device);

}  // namespace patchbay::machine
