#include "rules/text/kernel_names.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"
#include "config/foreign_words.h"

namespace patchbay::rules {
namespace {

constexpr std::array kNumbered{
    NumberedName{"ttyUSB", "tty usb-serial"},
    NumberedName{"ttyACM", "tty"},
    NumberedName{"ttyAMA", "tty"},
    NumberedName{"ttyS", "tty"},
    NumberedName{"video", "video4linux"},
    NumberedName{"v4l-subdev", "video4linux"},
    NumberedName{"media", "media"},
    NumberedName{"hidraw", "hidraw"},
    NumberedName{"event", "input", "0", "/dev/input/"},
    NumberedName{"js", "input", "0", "/dev/input/"},
    NumberedName{"mouse", "input", "0", "/dev/input/"},
    NumberedName{"i2c-", "i2c i2c-dev"},
    NumberedName{"spidev", "spidev", "0.0"},
    NumberedName{"gpiochip", "gpio"},
    NumberedName{"renderD", "drm", "128", "/dev/dri/"},
    NumberedName{"card", "drm sound", "0", "/dev/dri/"},
    NumberedName{"controlC", "sound", "0", "/dev/snd/"},
    NumberedName{"pcmC", "sound", "0D0p", "/dev/snd/"},
    NumberedName{"eth", "net", "0", ""},
    NumberedName{"wlan", "net", "0", ""},
    NumberedName{"can", "net", "0", ""},
    NumberedName{"sd", "block", "a"},
    NumberedName{"vd", "block", "a"},
    NumberedName{"nvme", "block nvme", "0n1"},
    NumberedName{"mmcblk", "block"},
    NumberedName{"loop", "block"},
    NumberedName{"zram", "block"},
    NumberedName{"sr", "block"},
    NumberedName{"sg", "scsi_generic"},
    NumberedName{"usbtmc", "usbmisc"},
    NumberedName{"hiddev", "usbmisc", "0", "/dev/usb/"},
    NumberedName{"lp", "usbmisc printer", "0", "/dev/usb/"},
    NumberedName{"iio:device", "iio"},
    NumberedName{"uio", "uio"},
    NumberedName{"ptp", "ptp"},
    NumberedName{"pps", "pps"},
    NumberedName{"uverbs", "infiniband_verbs", "0", "/dev/infiniband/"},
    NumberedName{"umad", "infiniband_mad", "0", "/dev/infiniband/"},
};

constexpr std::array kDrivers{
    DriverName{"ftdi_sio", "tty"},
    DriverName{"cp210x", "tty"},
    DriverName{"pl2303", "tty"},
    DriverName{"ch341-uart", "tty", "ch341"},
    DriverName{"option1", "tty", "option"},
    DriverName{"cdc_acm", "tty"},
    DriverName{"usbhid", "hidraw"},
    DriverName{"uvcvideo", "video4linux"},
    DriverName{"usb-storage", "block"},
    DriverName{"uas", "block"},
    DriverName{"snd-usb-audio", "sound"},
    DriverName{"cdc_ether", "net"},
    DriverName{"cdc_ncm", "net"},
    DriverName{"gs_usb", "net"},
    DriverName{"btusb", "bluetooth"},
    DriverName{"amdgpu", "drm"},
    DriverName{"i915", "drm"},
    DriverName{"nouveau", "drm"},
    DriverName{"nvidia", "pci"},
    DriverName{"vfio-pci", "pci"},
    DriverName{"pci-stub", "pci"},
    DriverName{"uio_pci_generic", "pci"},
    DriverName{"snd_hda_intel", "sound"},
    DriverName{"ahci", "block"},
    DriverName{"mlx4_core", "net"},
    DriverName{"mlx5_core", "net"},
    DriverName{"bnxt_en", "net"},
    DriverName{"e1000e", "net"},
    DriverName{"igb", "net"},
    DriverName{"igc", "net"},
    DriverName{"ixgbe", "net"},
    DriverName{"ixgbevf", "net"},
    DriverName{"i40e", "net"},
    DriverName{"iavf", "net"},
    DriverName{"ice", "net"},
    DriverName{"r8169", "net"},
    DriverName{"virtio_net", "net"},
};

constexpr std::array kSubsystemWords{
    SubsystemWord{"serial uart rs232 rs485 comport modem", "subsystem: tty"},
    SubsystemWord{"video v4l v4l2 uvc camera cameras webcam capture", "subsystem: video4linux"},
    SubsystemWord{"gpu gpus dri display render vga", "subsystem: drm"},
    SubsystemWord{"network networking ethernet nic nics wifi sriov", "subsystem: net"},
    SubsystemWord{"disk disks storage harddisk hdd ssd sata", "subsystem: block, devtype: disk"},
    SubsystemWord{"partition partitions", "subsystem: block, devtype: partition"},
    SubsystemWord{"audio alsa snd soundcard microphone", "subsystem: sound"},
    SubsystemWord{"i2cdev smbus", "subsystem: i2c-dev"},
    SubsystemWord{"usbdevice usbdevices", "subsystem: usb, devtype: usb_device"},
    SubsystemWord{"usbinterface", "subsystem: usb, devtype: usb_interface"},
    SubsystemWord{"keyboard joystick evdev touchscreen", "subsystem: input"},
    SubsystemWord{"rdma roce verbs hca ib", "subsystem: infiniband_verbs"},
    SubsystemWord{"kvm fuse tun uinput hwrng", "subsystem: misc, with the name in name:"},
    SubsystemWord{"gpios pin pins", R"(subsystem: gpio, devnode: "/dev/gpiochip*")"},
    SubsystemWord{"pcie pcidevice pcidevices", "subsystem: pci"},
};

constexpr std::string_view kKnown =
    "tty net block usb input sound drm video4linux hidraw i2c "
    "i2c-dev spi spidev gpio media pci scsi_generic iio ptp";

struct NodesOf {
  std::string_view subsystem;
  std::string_view of_nodes;
};
constexpr std::array kNodesOf{NodesOf{"i2c", "i2c-dev"},  NodesOf{"spi", "spidev"},
                              NodesOf{"hid", "hidraw"},   NodesOf{"usb-serial", "tty"},
                              NodesOf{"scsi", "block"},   NodesOf{"scsi_host", "block"},
                              NodesOf{"serio", "input"},  NodesOf{"infiniband", "infiniband_verbs"},
                              NodesOf{"ieee80211", "net"}};

constexpr std::string_view kKernelDirectories =
    "/dev /dev/dri /dev/snd /dev/input /dev/bus /dev/bus/usb /dev/vfio /dev/infiniband /dev/net "
    "/dev/serial /dev/serial/by-id /dev/serial/by-path /dev/disk /dev/disk/by-id /dev/disk/by-path "
    "/dev/disk/by-uuid /dev/disk/by-label /dev/v4l /dev/v4l/by-id /dev/v4l/by-path /dev/block "
    "/dev/char /dev/mapper /dev/pts /dev/shm /dev/hugepages /dev/cpu /dev/dma_heap";

}  // namespace

bool contains_word(std::string_view words, std::string_view word) {
  const auto names = split(words, ' ');
  return std::ranges::find(names, word) != names.end();
}

std::span<const NumberedName> numbered_names() { return kNumbered; }

const DriverName* find_driver(std::string_view word) {
  const std::string sought = config::normalise_word(word);
  const auto* const found = std::ranges::find_if(kDrivers, [&](const DriverName& driver) {
    return config::normalise_word(driver.name) == sought ||
           (!driver.module.empty() && config::normalise_word(driver.module) == sought);
  });
  return found == kDrivers.end() ? nullptr : found;
}

const SubsystemWord* find_subsystem_word(std::string_view word) {
  const std::string sought = config::normalise_word(word);
  const auto* const found = std::ranges::find_if(kSubsystemWords, [&](const SubsystemWord& known) {
    return contains_word(known.words, sought);
  });
  return found == kSubsystemWords.end() ? nullptr : found;
}

bool is_known_subsystem(std::string_view subsystem) { return contains_word(kKnown, subsystem); }

std::string_view subsystem_of_nodes(std::string_view subsystem) {
  const auto* const found = std::ranges::find(kNodesOf, subsystem, &NodesOf::subsystem);
  return found == kNodesOf.end() ? std::string_view{} : found->of_nodes;
}

bool is_known_directory(std::string_view path) { return contains_word(kKernelDirectories, path); }

}  // namespace patchbay::rules
