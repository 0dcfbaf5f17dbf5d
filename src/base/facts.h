#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay {

/// Which of the host's things a DeviceFacts describes.
enum class DeviceKind {
  kernel_device,    ///< Has a place in the kernel's device tree: a syspath and a subsystem.
  sysfs_directory,  ///< A directory under /sys that is no kernel device.
  path,             ///< A path of the host's file system, found by a glob.
  static_name,      ///< A name that the configuration gives: nothing on the host.
};

/// The type of what a path leads to; symbolic links are followed.
enum class PathType { character_device, block_device, file, directory, socket, other };

/// The number of a device node; two nodes with one number are one device, wherever they stand.
struct DeviceNumber {
  bool block = false;
  uint32_t major = 0;
  uint32_t minor = 0;
  friend auto operator<=>(const DeviceNumber&, const DeviceNumber&) = default;
};

/// A path that a pattern of the configuration found, and which pattern (as written) it was.
struct FoundBy {
  std::string pattern;
  std::string path;
  friend auto operator<=>(const FoundBy&, const FoundBy&) = default;
};

/// Values by name.
using NamedValues = std::map<std::string, std::string, std::less<>>;
/// The same of what may have several values by one name.
using ValueLists = std::map<std::string, std::vector<std::string>, std::less<>>;

/// What the host says about one thing, at one moment. A plain value: immutable once shared, any
/// thread may read it. Strings come from devices and are untrusted; trailing white space and NULs
/// are cut. Everything that is empty or missing is absent on the device.
struct DeviceFacts {
  /// Names the thing for its life: the canonical syspath (/sys/devices/…), or for DeviceKind::path
  /// the absolute path found, or for DeviceKind::static_name what static_key() says.
  std::string key;
  DeviceKind kind = DeviceKind::kernel_device;

  std::string syspath;    ///< Canonical; empty for a path.
  std::string name;       ///< sysname; of a path, its last part; of a static name, that.
  std::string subsystem;  ///< "net", "block", …; of kernel devices only.
  std::string devtype;    ///< DEVTYPE: "disk", "usb_device", …
  std::string devnode;    ///< "/dev/zram0".
  /// Of a device on a bus, its own; of one of a class, that of the nearest above that has one.
  std::string driver;
  std::optional<DeviceNumber> number;  ///< Of the devnode, or of a path that is a device node.
  std::optional<PathType> path_type;   ///< Of a path only.
  std::vector<FoundBy> found_by;       ///< Sorted. Of paths, and of what a sysfs pattern found.

  /// Only what WantedFacts asked for. Absent and unreadable ones are not in the maps.
  ValueLists attributes;  ///< By a name with `*`, of all files that it finds, in natural order.
  NamedValues properties;
  std::vector<std::string> tags;   ///< In natural order.
  std::vector<std::string> links;  ///< Every devlink, absolute, in natural order.
  /// Of the USB device and the PCI function that the device is or is below, by the names of the
  /// keys in `usb:` and `pci:`, and the USB device's node by "devnode". Ids are hex digits in small
  /// letters, without 0x.
  NamedValues usb;
  NamedValues pci;
  std::string numa_node;    ///< Of the nearest above that has one.
  std::string iommu_group;  ///< Of the nearest above that has one.

  /// The content of files of the host, by their paths: what HostQuery::files asked for. Absent and
  /// unreadable ones are not in the map.
  NamedValues files;

  /// The devices above, nearest first, with what WantedFacts::above asked for.
  std::vector<DeviceFacts> ancestors;

  friend bool operator==(const DeviceFacts&, const DeviceFacts&) = default;
};

/// DeviceFacts::key of a static name.
[[nodiscard]] inline std::string static_key(std::string_view name) {
  return "static:" + std::string(name);
}

using DeviceFactsPtr = std::shared_ptr<const DeviceFacts>;

/// Which costly facts to read of one device. Sorted, without repeats.
struct WantedFacts {
  bool relevant = false;  ///< No rule can match the device: nothing else is read, it is not kept.
  bool tags = false;
  bool links = false;
  bool driver = false;
  bool numa_node = false;
  bool iommu_group = false;
  std::vector<std::string> usb{};  ///< Names in DeviceFacts::usb.
  std::vector<std::string> pci{};
  std::vector<std::string> attributes{};  ///< Paths below the syspath; see config reference.
  std::vector<std::string> properties{};
  std::vector<WantedFacts> above{};  ///< At most one: what to read of each device above.
};

/// What the rules want to see of the host. Made from a Plan, immutable, shared with pool threads.
struct HostQuery {
  /// Patterns of `sysfs:` and `glob:`, as written, without repeats.
  std::vector<std::string> sysfs_patterns;
  std::vector<std::string> glob_patterns;
  /// The names of `static:`, which are told as they are, without repeats.
  std::vector<std::string> static_names;
  /// Subsystem names and fnmatch patterns that cover every `subsystem:` rule, to enumerate and to
  /// filter events by; empty: no rule looks at kernel devices. {"*"}: any subsystem.
  std::vector<std::string> subsystems;
  /// Rules or templates look at what udev's database holds of a device, or of one above.
  bool databases = false;
  /// Rules look at what it holds of the devices above a device.
  bool databases_above = false;
  /// What rules or probes look at may change with the link of a network interface, of which the
  /// kernel sends no event.
  bool follows_links = false;
  /// Given the facts that cost nothing (kind, key, syspath, name, subsystem, devtype, devnode,
  /// number, path_type, found_by), says what else to read. Pure; called from pool threads.
  std::function<WantedFacts(const DeviceFacts& cheap)> wanted;
  /// Given all facts of a thing but its files, the files of the host whose content the rules look
  /// at: absolute paths, sorted, without repeats. Pure; called from pool threads. Null: none.
  std::function<std::vector<std::string>(const DeviceFacts&)> files;
};

/// What `when:` wants to know of the node, and the answer.
struct NodeQuery {
  std::vector<std::string> files;  ///< Absolute paths, sorted, without repeats.
  std::vector<std::string> globs;  ///< Patterns as in `glob:`, sorted, without repeats.
};
struct NodeFacts {
  NamedValues files;               ///< Content by path; absent and unreadable ones are missing.
  std::vector<std::string> globs;  ///< Those of the patterns that find something; sorted.
};

using HostQueryPtr = std::shared_ptr<const HostQuery>;

}  // namespace patchbay
