#include "suggest/in_use.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "host/facts/device_list.h"
#include "host/facts/sysfs_files.h"
#include "suggest/process_file.h"

namespace patchbay::suggest {
namespace {

using Words = std::vector<std::string>;

/// The words of each line of a file of /proc.
std::vector<Words> table(std::string_view text) {
  std::vector<Words> rows;
  for (const std::string_view line : split(text, '\n')) {
    Words words;
    for (std::string_view rest = line; !rest.empty();) {
      const size_t begin = std::min(rest.find_first_not_of(" \t"), rest.size());
      rest.remove_prefix(begin);
      const size_t end = std::min(rest.find_first_of(" \t"), rest.size());
      if (end > 0) words.emplace_back(rest.substr(0, end));
      rest.remove_prefix(end);
    }
    rows.push_back(std::move(words));
  }
  return rows;
}

std::set<std::string> find_mounted(const paths::HostRoot& root) {
  std::set<std::string> mounted;
  // ID PARENT MAJOR:MINOR ROOT POINT OPTIONS … - TYPE SOURCE …
  for (const Words& row : table(read_process_file(root, "mountinfo"))) {
    const auto dash = std::ranges::find(row, "-");
    if (row.size() < 3 || row.end() - dash < 3) continue;
    mounted.emplace(row[2]);
    mounted.emplace(dash[2]);
  }
  for (const Words& row : table(read_process_file(root, "mounts"))) {
    if (!row.empty()) mounted.emplace(row[0]);
  }
  return mounted;
}

std::set<std::string> find_swaps(const paths::HostRoot& root) {
  std::set<std::string> swaps;
  for (const Words& row : table(root.read_file("/proc/swaps").value_or(""))) {
    if (!row.empty()) swaps.emplace(row[0]);
  }
  return swaps;
}

std::set<std::string> find_route_names(const paths::HostRoot& root) {
  std::set<std::string> names;
  for (const Words& row : table(read_process_file(root, "net/route"))) {
    if (row.size() > 7 && row[0] != "Iface") names.emplace(row[0]);
  }
  // DESTINATION LENGTH SOURCE LENGTH GATEWAY METRIC REFERENCES USES FLAGS INTERFACE
  for (const Words& row : table(read_process_file(root, "net/ipv6_route"))) {
    // Each interface that is up has routes for its own link (fe80::/64) and to groups (ff00::/8).
    const bool is_own = row.size() < 10 || row[0].starts_with("fe8") || row[0].starts_with("ff");
    if (!is_own && row[9] != "lo") names.emplace(row[9]);
  }
  return names;
}

/// Substrings of the names of containers' control groups.
constexpr std::array<std::string_view, 5> kContainerGroups{"kubepods", "docker", "libpod",
                                                           "containerd", "crio"};

bool is_in_container(const std::string& process, const paths::HostRoot& root) {
  const std::string group = root.read_file(process + "/cgroup").value_or("");
  return std::ranges::any_of(kContainerGroups,
                             [&](std::string_view name) { return group.contains(name); });
}

/// The device nodes that processes in containers have open, with the process, such as
/// "gpsd (process 812)". Empty on a recorded machine, and without root or the node's processes
/// (hostPID).
std::map<DeviceNumber, std::string> find_open_in_containers(const paths::HostRoot& root) {
  std::map<DeviceNumber, std::string> open;
  if (root.is_recorded()) return open;
  for (const std::string& id : root.names_in("/proc")) {
    if (id.find_first_not_of(kDigits) != std::string::npos) continue;
    const std::string process = "/proc/" + id;
    if (!is_in_container(process, root)) continue;
    const std::string name = root.read_file(process + "/comm").value_or("a program");
    for (const std::string& descriptor : root.names_in(process + "/fd")) {
      // The link shows the path in the container. Other files can be on an unresponsive mount.
      const std::string link = process + "/fd/" + descriptor;
      if (!root.link_target(link).value_or("").starts_with("/dev/")) continue;
      const auto number = number_of(root, link);
      if (number) open.emplace(*number, fmt::format("{} (process {})", printable(name), id));
    }
  }
  return open;
}

bool is_at_or_below(std::string_view path, std::string_view directory) {
  return path.starts_with(directory) &&
         (path.size() == directory.size() || path[directory.size()] == '/');
}

/// The directory with all devices of the hardware. The SCSI node …/1:0:0:0/scsi_generic/sg1 and the
/// disk …/1:0:0:0/block/sda are beside each other. The HID node …/hidraw/hidraw0 is beside the
/// input device …/input/input9/event6.
std::string_view directory_of(std::string_view key) {
  for (const std::string_view kind : {"/scsi_generic/", "/bsg/", "/hidraw/", "/usbmisc/hiddev"}) {
    const size_t at = key.find(kind);
    if (at != std::string_view::npos) return key.substr(0, at);
  }
  return key;
}

/// A controller of NVMe disks, and a character device of such a disk.
bool is_nvme_access(const DeviceFacts& device) {
  return device.subsystem == "nvme" || device.subsystem == "nvme-generic";
}

bool is_linux_data(std::string_view partition_type) {
  return partition_type == "0fc63daf-8483-4772-8e79-3d69d8477de4" || partition_type == "0x83";
}

std::string usage_text(const std::string& usage) {
  if (usage == "filesystem") return "a file system";
  if (usage == "raid") return "a volume of RAID or LVM";
  if (usage == "crypto") return "an encrypted volume";
  return "data";
}

}  // namespace

UseCheck::UseCheck(const paths::HostRoot& root, DeviceReader& reader)
    : reader_(reader),
      tree_(root),
      disks_(host::list_kernel_devices(tree_, {"block"})),
      interfaces_(host::list_kernel_devices(tree_, {"net"})),
      inputs_(host::list_kernel_devices(tree_, {"input"})),
      mounted_(find_mounted(root)),
      swaps_(find_swaps(root)),
      route_names_(find_route_names(root)),
      container_users_(find_open_in_containers(root)) {
  // The kernel's own threads are visible only among the processes of the node.
  sees_node_ = root.is_recorded() ? !mounted_.empty()
                                  : root.read_file("/proc/2/comm").value_or("") == "kthreadd";
  const std::string active =
      host::attribute_text(tree_.files, tree_.sysfs + "/class/tty/console", "active");
  std::set<std::string, std::less<>> names;
  for (const Words& row : table(active)) names.insert(row.begin(), row.end());
  for (std::string& line : host::list_kernel_devices(tree_, {"tty"})) {
    if (names.contains(base_name(line))) consoles_.push_back(std::move(line));
  }
}

std::optional<std::string> UseCheck::reason(const Candidate& candidate) {
  const auto known = reasons_.find(&candidate);
  if (known != reasons_.end()) return known->second;
  return reasons_.emplace(&candidate, find_reason(candidate)).first->second;
}

std::optional<std::string> UseCheck::find_reason(const Candidate& candidate) const {
  if (!candidate.kind->refused.empty()) return candidate.kind->refused;
  using Check = std::optional<std::string> (UseCheck::*)(const std::string&) const;
  const std::array<std::pair<const std::vector<std::string>*, Check>, 3> checks{
      {{&disks_, &UseCheck::reason_of_disk},
       {&interfaces_, &UseCheck::reason_of_interface},
       {&inputs_, &UseCheck::reason_of_input}}};
  const auto in_unit = [&](const std::string& device) {
    return std::ranges::any_of(candidate.keys, [&](const std::string& key) {
      return is_at_or_below(device, directory_of(key));
    });
  };
  for (const auto& [devices, check] : checks) {
    for (const std::string& device : *devices) {
      if (!in_unit(device)) continue;
      if (auto why = (this->*check)(device)) return why;
    }
  }
  const auto console = std::ranges::find_if(consoles_, in_unit);
  if (console != consoles_.end()) {
    return fmt::format("{} is a console of the node", base_name(*console));
  }
  if (std::ranges::any_of(candidate.matched,
                          [](const auto& device) { return is_nvme_access(*device); })) {
    return "it gives access to NVMe disks, whose content is not checked";
  }
  // Nodes with `share` are made for several users.
  if (config::value_of(candidate.kind->rule, "share") != nullptr) return std::nullopt;
  for (const DeviceNumber& number : candidate.numbers) {
    const auto user = container_users_.find(number);
    if (user != container_users_.end()) return "a container has it open: " + user->second;
  }
  return std::nullopt;
}

bool UseCheck::is_mounted(const std::string& syspath, const std::string& devnode) const {
  const std::string number = host::attribute_text(tree_.files, syspath, "dev");
  return mounted_.contains(number) || mounted_.contains(devnode);
}

std::optional<std::string> UseCheck::reason_of_disk(const std::string& syspath) const {
  const DeviceFactsPtr disk = reader_.read(syspath);
  if (disk == nullptr) return std::nullopt;
  if (is_mounted(syspath, disk->devnode)) return disk->name + " is mounted";
  if (swaps_.contains(disk->devnode)) return disk->name + " is swap space";
  for (const std::string& holder : tree_.files.names_in(syspath + "/holders")) {
    return fmt::format("{} uses {}", printable(holder), disk->name);
  }
  if (const auto usage = value_of(*disk, "property.ID_FS_USAGE")) {
    const auto type = value_of(*disk, "property.ID_FS_TYPE");
    return fmt::format("{} contains {}{}", disk->name, usage_text(*usage),
                       type ? " (" + *type + ")" : "");
  }
  // A partition has this property of its disk, too.
  const auto table_type = value_of(*disk, "property.ID_PART_TABLE_TYPE");
  if (table_type && disk->devtype == "disk") {
    return fmt::format("{} has a partition table ({})", disk->name, *table_type);
  }
  // Boot loaders and firmware use partitions without a file system.
  const auto type = value_of(*disk, "property.ID_PART_ENTRY_TYPE");
  if (type && disk->devtype == "partition" && !is_linux_data(*type)) {
    return fmt::format("{} is a partition of the type {}, not of Linux data", disk->name, *type);
  }
  // Disks in memory and loop disks have no driver.
  if (value_of(*disk, "driver") && !value_of(*disk, "property.USEC_INITIALIZED")) {
    return fmt::format("udev has no data of {}, so its content is not known", disk->name);
  }
  return std::nullopt;
}

std::optional<std::string> UseCheck::reason_of_interface(const std::string& syspath) const {
  const std::string name(base_name(syspath));
  if (route_names_.contains(name)) return "the node has a route through " + name;
  for (const std::string& entry : tree_.files.names_in(syspath)) {
    if (!entry.starts_with("upper_")) continue;
    return fmt::format("{} uses {}", printable(entry.substr(6)), name);
  }
  return std::nullopt;
}

std::optional<std::string> UseCheck::reason_of_input(const std::string& syspath) const {
  const DeviceFactsPtr input = reader_.read(syspath);
  if (input == nullptr || input->devnode.empty()) return std::nullopt;
  for (const auto& [property, what] :
       {std::pair{"property.ID_INPUT_KEYBOARD", "a keyboard"},
        std::pair{"property.ID_INPUT_MOUSE", "a mouse"},
        std::pair{"property.ID_INPUT_TOUCHPAD", "a touchpad"},
        std::pair{"property.ID_INPUT_TOUCHSCREEN", "a touchscreen"}}) {
    if (value_of(*input, property) == "1") {
      return fmt::format("{} is {} of the node", input->name, what);
    }
  }
  return std::nullopt;
}

}  // namespace patchbay::suggest
