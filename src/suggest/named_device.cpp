#include "suggest/named_device.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "host/examine.h"
#include "host/facts/device_list.h"
#include "host/facts/sysfs_files.h"
#include "suggest/process_file.h"
#include "suggest/unknown_hardware.h"

namespace patchbay::suggest {
namespace {

using host::DeviceTree;
using Status = paths::HostRoot::Status;

constexpr std::string_view kForms =
    "name a device node, a path below /sys, usb VENDOR:PRODUCT, usb 1-2, a PCI address, a network "
    "interface or another name of the kernel";

std::string devnode_of(const DeviceTree& tree, const std::string& syspath) {
  const auto uevent = host::read_uevent_file(tree.files, syspath);
  return uevent ? uevent->devnode : "";
}

Wanted wanted_device(const DeviceTree& tree, const std::string& syspath) {
  Wanted wanted{
      .key = syspath, .path = devnode_of(tree, syspath), .hardware = hardware_of(tree, syspath)};
  if (!wanted.path.empty()) wanted.number = number_of(tree.files, wanted.path);
  return wanted;
}

bool is_hex(std::string_view text, size_t length) {
  return text.size() == length &&
         text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

/// "0403" and "6001" of "0403:6001".
std::optional<std::pair<std::string, std::string>> usb_ids(const std::string& text) {
  const size_t colon = text.find(':');
  if (colon == std::string::npos) return std::nullopt;
  std::string vendor = lower_case(text.substr(0, colon));
  std::string product = lower_case(text.substr(colon + 1));
  if (!is_hex(vendor, 4) || !is_hex(product, 4)) return std::nullopt;
  return std::pair{std::move(vendor), std::move(product)};
}

std::vector<Wanted> usb_devices(const DeviceTree& tree, const std::string& vendor,
                                const std::string& product) {
  std::vector<Wanted> found;
  for (const std::string& device : host::list_kernel_devices(tree, {"usb"})) {
    if (host::attribute_text(tree.files, device, "idVendor") == vendor &&
        host::attribute_text(tree.files, device, "idProduct") == product) {
      found.push_back(wanted_device(tree, device));
    }
  }
  return found;
}

/// "3b:00.0" is short for "0000:3b:00.0".
std::string full_pci_address(const std::string& text) {
  const bool is_short = text.size() == 7 && is_hex(text.substr(0, 2), 2) && text[2] == ':' &&
                        is_hex(text.substr(3, 2), 2) && text[5] == '.';
  const bool is_full = text.size() == 12 && text[4] == ':' && text[7] == ':' && text[10] == '.';
  return is_short ? "0000:" + lower_case(text) : is_full ? lower_case(text) : text;
}

std::vector<std::string> kernel_names(const DeviceTree& tree) {
  std::vector<std::string> names;
  for (const std::string& device : host::list_kernel_devices(tree, {"*"})) {
    names.emplace_back(base_name(device));
  }
  return names;
}

Error unknown_name(const DeviceTree& tree, const std::string& name) {
  const auto names = kernel_names(tree);
  const std::vector<std::string_view> views(names.begin(), names.end());
  const auto nearest = nearest_word(name, views);
  return {fmt::format("'{}' is no device of this machine{}; {}", printable(name),
                      nearest ? fmt::format(" (did you mean '{}'?)", printable(*nearest)) : "",
                      kForms)};
}

/// The path as the mounts of /proc have it: a space is \040.
std::string escaped_mount_point(const std::string& path) {
  std::string escaped;
  for (const char c : path) {
    if (c == ' ' || c == '\t' || c == '\n' || c == '\\') {
      escaped += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    } else {
      escaped += c;
    }
  }
  return escaped;
}

/// A mounted file system.
struct Mounted {
  std::string number;  ///< "8:1". Empty: not known.
  std::string node;    ///< "/dev/sda1".
};

/// The last mount at the directory: it covers the others.
std::optional<Mounted> mount_at(const std::string& directory, const paths::HostRoot& root) {
  std::optional<Mounted> found;
  const std::string point = escaped_mount_point(directory);
  // ID PARENT MAJOR:MINOR ROOT POINT OPTIONS … - TYPE SOURCE …
  const std::string mountinfo = read_process_file(root, "mountinfo");
  for (const std::string_view line : split(mountinfo, '\n')) {
    const auto words = split(line, ' ');
    if (words.size() > 4 && words[4] == point) found = {std::string(words[2]), ""};
  }
  if (found) return found;
  const std::string mounts = read_process_file(root, "mounts");
  for (const std::string_view line : split(mounts, '\n')) {
    const auto words = split(line, ' ');
    if (words.size() > 1 && words[1] == point) found = {"", std::string(words[0])};
  }
  return found;
}

class PathSearch {
 public:
  explicit PathSearch(const paths::HostRoot& root) : root_(root), tree_(root) {}

  [[nodiscard]] Result<std::vector<Wanted>> run(const std::string& path) const {
    const auto real = root_.resolve(path);
    const auto status = root_.status(path);
    if (!real || !status) return std::unexpected(missing(path));
    if (real->starts_with(tree_.sysfs + '/')) return sysfs_device(*real, path);
    if (const auto number = device_number_of(status->st_mode, status->st_rdev)) {
      const auto device = host::device_with_number(tree_, *number);
      return std::vector{
          Wanted{.key = device.value_or(""), .path = *real, .number = number, .by_node = true}};
    }
    if (S_ISREG(status->st_mode)) {
      if (auto disks = disks_of_image(*real); !disks.empty()) return disks;
    }
    if (S_ISDIR(status->st_mode)) {
      if (const auto disk = disk_of_mount(*real)) return std::vector{*disk};
    }
    return std::unexpected(no_device(path, status->st_mode));
  }

 private:
  /// The device of a directory, or of the directory of an attribute.
  [[nodiscard]] Result<std::vector<Wanted>> sysfs_device(std::string directory,
                                                         const std::string& path) const {
    while (tree_.contains(directory)) {
      if (host::read_uevent_file(tree_.files, directory)) {
        return std::vector{wanted_device(tree_, directory)};
      }
      directory.resize(directory.rfind('/'));
    }
    return fail(printable(path) + " is not in the directory of a device");
  }

  [[nodiscard]] std::vector<Wanted> disks_of_image(const std::string& file) const {
    std::vector<Wanted> found;
    for (const std::string& disk : host::list_kernel_devices(tree_, {"block"})) {
      if (host::attribute_text(tree_.files, disk, "loop/backing_file") == file) {
        found.push_back(wanted_device(tree_, disk));
      }
    }
    return found;
  }

  [[nodiscard]] std::optional<Wanted> disk_of_mount(const std::string& directory) const {
    const auto mounted = mount_at(directory, root_);
    if (!mounted) return std::nullopt;
    std::optional<std::string> disk;
    if (!mounted->number.empty()) {
      disk = host::canonical_device(tree_, tree_.sysfs + "/dev/block/" + mounted->number);
    } else if (const auto number = number_of(root_, mounted->node); number && number->block) {
      disk = host::device_with_number(tree_, *number);
    }
    if (!disk) return std::nullopt;
    return wanted_device(tree_, *disk);
  }

  [[nodiscard]] static Error no_device(const std::string& path, mode_t mode) {
    if (S_ISDIR(mode)) return {printable(path) + " is a directory, and no disk is mounted there"};
    const bool socket = S_ISSOCK(mode);
    return {
        fmt::format("{} is {}, not a device; to offer it, write a rule with match: {{glob: "
                    "PATH, type: {}}} and mounts: [{{hostPath: $(path)}}]",
                    printable(path), socket ? "a socket" : "a file", socket ? "socket" : "file")};
  }

  [[nodiscard]] Error missing(const std::string& path) const {
    const int why = root_.exists(path) ? ENOENT : errno;
    const std::string directory = path.substr(0, path.rfind('/'));
    const auto names = root_.names_in(directory.empty() ? "/" : directory);
    const std::vector<std::string_view> views(names.begin(), names.end());
    const auto nearest = nearest_word(base_name(path), views);
    return {fail_errno(printable(path), why).error().message +
            (nearest ? fmt::format(" (did you mean '{}/{}'?)", printable(directory),
                                   printable(*nearest))
                     : "")};
  }

  const paths::HostRoot& root_;
  DeviceTree tree_;
};

/// A serial line and its USB port have one name, and only the line has a node.
std::vector<Wanted> only_with_nodes(std::vector<Wanted> devices) {
  const auto has_node = [](const Wanted& device) { return !device.path.empty(); };
  if (std::ranges::any_of(devices, has_node)) {
    std::erase_if(devices, [&](const Wanted& device) { return !has_node(device); });
  }
  return devices;
}

}  // namespace

Result<std::vector<Wanted>> find_named_devices(const std::string& written,
                                               const paths::HostRoot& root) {
  const std::string name = written.starts_with("usb ") ? written.substr(4) : written;
  if (name.starts_with('/')) return PathSearch(root).run(name);
  const DeviceTree tree(root);
  if (const auto ids = usb_ids(name)) {
    auto found = usb_devices(tree, ids->first, ids->second);
    if (found.empty()) return fail("no USB device has the ids " + printable(name));
    return found;
  }
  std::vector<Wanted> found;
  for (const std::string& device : host::kernel_devices_named(tree, full_pci_address(name))) {
    found.push_back(wanted_device(tree, device));
  }
  if (found.empty()) return std::unexpected(unknown_name(tree, name));
  return only_with_nodes(std::move(found));
}

}  // namespace patchbay::suggest
