#include "machine/machine.h"

#include "base/text.h"

namespace patchbay::machine {
namespace {

/// From Documentation/ABI of the kernel, and its drivers.
constexpr std::string_view kBuses =
    "acpi amba ap auxiliary bcma ccw ccwgroup cdx cec clockevents clocksource container coresight "
    "counter cpu cxl dax dfl edac eisa event_source faux firewire fsl-mc gpio greybus hdaudio hid "
    "host1x hsi i2c i3c iio intel_vsec isa machinecheck mcb mdev mdio_bus media mei memory "
    "memory_tiering memstick mhi mipi-dsi mmc mmc_rpmb nd netdevsim node ntb nvmem parport pci "
    "pci-epf pci_express pcmcia platform pnp rapidio rpmsg scsi sdio sdw serial serial-base serio "
    "siox slimbus snd_seq soundwire spi spmi ssb ssam tc tee thunderbolt typec ulpi umc usb "
    "usb-serial vdpa vfio-ap vio virtio vmbus wmi workqueue xen xen-backend";

}  // namespace

bool is_usually_on_bus(std::string_view path, std::string_view subsystem) {
  // A class and a bus may have one name; the devices of that class are in a directory with it.
  const std::string_view parent = base_name(path.substr(0, path.rfind('/')));
  return contains_word(kBuses, subsystem) && parent != subsystem;
}

}  // namespace patchbay::machine
