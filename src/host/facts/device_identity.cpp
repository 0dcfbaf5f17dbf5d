#include "host/facts/device_identity.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "host/facts/sysfs_files.h"
#include "host/facts/usb_topology.h"

namespace patchbay::host {
namespace {

using Directories = std::span<const DeviceDirectory>;
using Files = paths::HostRoot;

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

/// The text without trailing digits.
std::string_view without_number(std::string_view name) {
  while (!name.empty() && is_digit(name.back())) name.remove_suffix(1);
  return name;
}

/// Whether the name is the prefix and a number, as the kernel names counted devices.
bool is_numbered(std::string_view name, std::string_view prefix) {
  return name.starts_with(prefix) && is_number(name.substr(prefix.size()));
}

/// The kind, with the number unless it is the first.
std::string counted_name(std::string_view kind, std::string_view number, std::string_view first) {
  return number.empty() || number == first ? "" : fmt::format("{}{}", kind, number);
}

/// The nearest device of the subsystem. Empty if there is none.
std::string_view nearest(Directories lineage, std::string_view subsystem) {
  const auto found = std::ranges::find(lineage, subsystem, &DeviceDirectory::subsystem);
  return found == lineage.end() ? std::string_view{} : std::string_view(found->path);
}

/// The disk of a partition, or the device itself if it is not a partition.
Directories disk_of(Directories lineage) {
  const bool is_partition =
      lineage.front().subsystem == "block" && lineage.size() > 1 && lineage[1].subsystem == "block";
  return is_partition ? lineage.subspan(1) : lineage;
}

/// Vendors pad their texts with spaces.
std::string without_padding(std::string text) {
  const auto both_spaces = [](char a, char b) { return a == ' ' && b == ' '; };
  text.erase(std::ranges::unique(text, both_spaces).begin(), text.end());
  return text;
}

/// The id from the disk, the card or the device mapper, not from a file system on it.
std::string disk_serial(const Files& files, Directories lineage) {
  const Directories disk = disk_of(lineage);
  const std::array<const char*, 6> names{"wwid",    "device/wwid", "device/cid",
                                         "dm/uuid", "md/uuid",     "serial"};
  const std::string_view subsystem = disk.front().subsystem;
  if (subsystem != "block" && subsystem != "scsi_generic" && subsystem != "scsi_tape") return {};
  for (const char* name : names) {
    std::string value = attribute_text(files, disk.front().path, name);
    if (!value.empty()) return without_padding(std::move(value));
  }
  return {};
}

/// The number of siblings with the same prefix that sort before it. For siblings that a driver
/// creates together, always in the same order.
size_t rank_of(const Files& files, std::string_view path) {
  const std::string_view own = base_name(path);
  const std::string_view prefix = without_number(own);
  size_t before = 0;
  for (const std::string& name : files.names_in(std::string(path.substr(0, path.rfind('/'))))) {
    before += is_numbered(name, prefix) && natural_less(name, own) ? 1 : 0;
  }
  return before;
}

/// The ATA port of a SCSI device, relative to its controller: for ".../ata3/host2/...", the port of
/// ata3, whose own number counts over all controllers. The output of udevadm has no attributes.
std::string ata_port(const Files& files, std::string_view path) {
  constexpr std::string_view kAta = "/ata";
  for (size_t at = path.find(kAta); at != std::string_view::npos; at = path.find(kAta, at + 1)) {
    const std::string_view from = path.substr(at + 1);
    const std::string_view name = from.substr(0, from.find('/'));
    if (!is_numbered(name, kAta.substr(1))) continue;
    const std::string_view port = path.substr(0, at + 1 + name.size());
    const std::string number =
        attribute_text(files, port, fmt::format("ata_port/{}/port_no", name));
    return number.empty() ? std::to_string(rank_of(files, port) + 1) : number;
  }
  return {};
}

/// The device's address on the bus of its SCSI host: target and logical unit.
std::string scsi_position(const Files& files, Directories lineage) {
  const std::string_view path = nearest(lineage, "scsi");
  const std::string_view name = base_name(path);  // HOST:CHANNEL:TARGET:LUN
  if (std::ranges::count(name, ':') != 3) return {};
  // Targets of a SAS fabric are numbered in the order of their discovery.
  if (path.find("/end_device-") != std::string_view::npos)
    return attribute_text(files, path, "sas_address");
  std::vector<std::string> components;
  if (const std::string port = ata_port(files, path); !port.empty())
    components.push_back("ata" + port);
  const std::string_view position = name.substr(name.find(':') + 1);
  const std::string_view unit = position.substr(position.rfind(':') + 1);
  if (position.starts_with("0:0:")) {
    if (unit != "0") components.push_back(fmt::format("lun{}", unit));
  } else {
    components.emplace_back(position);
  }
  return join(components, ":");
}

std::string disk_position(const Files& files, Directories lineage) {
  const Directories disk = disk_of(lineage);
  const std::string nvme =
      counted_name("ns", attribute_text(files, disk.front().path, "nsid"), "1");
  return nvme.empty() ? scsi_position(files, disk) : nvme;
}

/// The partition, or the part of an eMMC that is a separate disk: "boot0" of mmcblk0boot0.
std::string disk_partition(const Files& files, Directories lineage) {
  if (lineage.front().subsystem != "block") return {};
  std::vector<std::string> components;
  const std::string number = attribute_text(files, lineage.front().path, "partition");
  const Directories whole = is_number(number) ? disk_of(lineage) : lineage;
  const std::string_view disk = base_name(whole.front().path);
  constexpr std::string_view kCard = "mmcblk";
  if (disk.starts_with(kCard)) {
    const size_t end = disk.find_first_not_of("0123456789", kCard.size());
    if (end != std::string_view::npos) components.emplace_back(disk.substr(end));
  }
  if (is_number(number)) components.push_back("p" + number);
  return join(components, ":");
}

std::string net_position(const Files& files, Directories lineage) {
  const std::string& path = lineage.front().path;
  // Representors are beside the interface of the function: "pf0vf1", "c1pf0sf3".
  std::string name = attribute_text(files, path, "phys_port_name");
  if (name.find("pf") != std::string::npos) return name;
  return counted_name("port", attribute_text(files, path, "dev_port"), "0");
}

/// Containers use render nodes, so these get the plain id.
std::string drm_position(std::string_view name) {
  if (name.starts_with("renderD")) return {};
  const size_t connector = name.find('-');
  return std::string(connector == std::string_view::npos ? without_number(name)
                                                         : name.substr(connector + 1));
}

/// "pcmC1D0p" without the number of the card; "controlC1" as "control".
std::string sound_position(std::string_view name) {
  const size_t card = name.find('C');
  if (card == std::string_view::npos) return std::string(without_number(name));
  const size_t end = name.find_first_not_of("0123456789", card + 1);
  return fmt::format("{}{}", name.substr(0, card),
                     end == std::string_view::npos ? "" : name.substr(end));
}

/// A receiver of wireless keyboards has a HID device for each keyboard, with the product's id in
/// its name: "0003:046D:4024.0005".
std::string hid_position(Directories lineage) {
  const std::string_view device = nearest(lineage, "hid");
  const auto all =
      std::ranges::count(lineage, std::string_view("hid"), &DeviceDirectory::subsystem);
  if (all < 2) return {};
  const std::string_view name = base_name(device);
  const size_t begin = std::min(name.find(':'), name.size() - 1) + 1;
  return std::string(name.substr(begin, name.rfind('.') - begin));
}

/// A HID device or a sound card may have several inputs, and each input several nodes.
std::string input_position(const Files& files, Directories lineage) {
  const auto is_input = [](const DeviceDirectory& directory) {
    return directory.subsystem == "input" && is_numbered(base_name(directory.path), "input");
  };
  const auto input = std::ranges::find_if(lineage, is_input);
  if (input == lineage.end()) return {};
  std::vector<std::string> components;
  if (std::string hid = hid_position(lineage); !hid.empty()) components.push_back(std::move(hid));
  const std::string rank = std::to_string(rank_of(files, input->path));
  components.push_back(fmt::format("{}{}", without_number(base_name(lineage.front().path)),
                                   rank == "0" ? "" : rank));
  return join(components, ":");
}

std::string video_position(const Files& files, Directories lineage) {
  const std::string& path = lineage.front().path;
  const std::string_view kind = without_number(base_name(path));
  const std::string index = attribute_text(files, path, "index");
  if (kind == "video") return counted_name("index", index, "0");
  return fmt::format("{}{}", kind, index == "0" ? "" : index);
}

std::string tty_position(const Files& files, Directories lineage) {
  if (const std::string_view port = nearest(lineage, "usb-serial"); !port.empty()) {
    return counted_name("port", attribute_text(files, port, "port_number"), "0");
  }
  // The port of a serial controller: "0000:04:00.0:0.3".
  const std::string_view port = base_name(nearest(lineage, "serial-base"));
  const std::string_view numbers = port.substr(std::min(port.rfind(':') + 1, port.size()));
  const size_t dot = numbers.find('.');
  // Older kernels have no device for the port.
  return counted_name("port",
                      dot == std::string_view::npos
                          ? std::to_string(rank_of(files, lineage.front().path))
                          : std::string(numbers.substr(dot + 1)),
                      "0");
}

std::string infiniband_position(const Files& files, Directories lineage) {
  std::vector<std::string> components;
  const std::string& path = lineage.front().path;
  if (without_number(base_name(path)) == "issm") components.emplace_back("issm");
  const std::string port = counted_name("port", attribute_text(files, path, "port"), "1");
  if (!port.empty()) components.push_back(port);
  return join(components, ":");
}

/// The adapter's name, which the driver sets. USB devices have one adapter. The names of
/// multiplexers contain the number of another adapter.
std::string i2c_position(const Files& files, Directories lineage) {
  if (!nearest(lineage, "usb").empty()) return {};
  std::string name = attribute_text(files, lineage.front().path, "name");
  return name.starts_with("i2c-") ? std::string{} : without_padding(std::move(name));
}

/// The text after the hardware's number, if it is a word: "dvb0.frontend0", "xdma0_user".
std::string function_name(std::string_view name) {
  const size_t number = name.find_first_of("0123456789");
  if (number == std::string_view::npos) return {};
  const size_t end = name.find_first_not_of("0123456789", number);
  if (end == std::string_view::npos || end + 1 >= name.size()) return {};
  const bool is_word = is_alphanumeric(name[end + 1]) && !is_digit(name[end + 1]);
  const bool is_separated = std::string_view("._-").find(name[end]) != std::string_view::npos;
  return is_separated && is_word ? std::string(name.substr(end + 1)) : std::string{};
}

/// A USB 3 hub is two devices at one socket, one for each revision of USB. The root hubs of a
/// controller are two devices, too.
std::string hub_place(const Files& files, Directories lineage) {
  const Directories device = find_usb_device(files, lineage);
  if (device.empty() || attribute_text(files, device.front().path, "bDeviceClass") != "09") {
    return {};
  }
  const std::string revision = usb_revision(files, device.front().path);
  return revision.empty() ? revision : "usbv" + revision;
}

std::string read_position(const Files& files, Directories lineage) {
  const auto& [path, subsystem] = lineage.front();
  const std::string_view name = base_name(path);
  if (subsystem == "block" || subsystem == "scsi_generic") return disk_position(files, lineage);
  if (subsystem == "net") return net_position(files, lineage);
  if (subsystem == "usb") return hub_place(files, lineage);
  // Functions of a PCI card that its driver splits: "dfl-fme.0".
  if (subsystem == "platform") return std::string(name.substr(0, name.find('.')));
  if (subsystem == "drm") return drm_position(name);
  if (subsystem == "sound") return sound_position(name);
  if (subsystem == "input") return input_position(files, lineage);
  if (subsystem == "hidraw") return hid_position(lineage);
  if (subsystem == "video4linux") return video_position(files, lineage);
  if (subsystem == "tty") return tty_position(files, lineage);
  if (subsystem == "infiniband_mad") return infiniband_position(files, lineage);
  if (subsystem == "i2c-dev") return i2c_position(files, lineage);
  return function_name(name);
}

}  // namespace

std::string read_identity(const Files& files, Directories lineage, std::string_view component) {
  if (lineage.empty()) return {};
  if (component == "serial") return disk_serial(files, lineage);
  if (component == "place") return read_position(files, lineage);
  return component == "part" ? disk_partition(files, lineage) : std::string{};
}

}  // namespace patchbay::host
