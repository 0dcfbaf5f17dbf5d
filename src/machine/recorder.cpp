#include "machine/recorder.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "host/facts/device_list.h"
#include "host/facts/online_nodes.h"
#include "host/facts/sysfs_files.h"
#include "host/facts/udev_record.h"
#include "loop/executor.h"
#include "paths/glob_walk.h"

namespace patchbay::machine {
namespace {

namespace fs = std::filesystem;

/// Longer values are tables or logs, which rules do not compare.
constexpr size_t kMostValueBytes = 1024;
/// The size that the kernel shows for attributes. Binary ones often have another.
constexpr off_t kAttributeSize = paths::HostRoot::kMostAttributeBytes;
constexpr int kMostLevels = 2;     ///< Directories of attributes below a device.
constexpr int kMostLinks = 40;     ///< The kernel's limit.
constexpr int kMostDevLevels = 4;  ///< Directories below /dev.

/// Values that change by themselves, binary data, passwords, and values that have their own lines.
constexpr auto kSkippedFiles = std::to_array<std::string_view>({
    "actual_brightness",
    "bd_stat",
    "carrier_changes",
    "carrier_down_count",
    "carrier_up_count",
    "config",
    "cur_state",
    "current_device",
    "date",
    "debug_stat",
    "dev",
    "dhchap_ctrl_secret",
    "dhchap_secret",
    "edid",
    "eeprom",
    "energy_now",
    "gpu_busy_percent",
    "ifindex",
    "inflight",
    "io_stat",
    "max_bytes",
    "mem_busy_percent",
    "meminfo",
    "min_bytes",
    "mm_stat",
    "numastat",
    "password",
    "password_in",
    "rom",
    "since_epoch",
    "stat",
    "temp",
    "time",
    "uevent",
    "urbnum",
    "username",
    "username_in",
    "vmstat",
    "voltage_now",
    "vpd",
});
/// Directories with statistics, state of the kernel, or many equal files.
constexpr auto kSkippedDirectories = std::to_array<std::string_view>({
    "cache",
    "cpufreq",
    "cpuidle",
    "crash_notes",
    "hotplug",
    "msi_irqs",
    "power",
    "statistics",
    "thermal_throttle",
    "topology",
    "trace",
});
/// Links to descriptions of the firmware, and links that have their own lines.
constexpr auto kSkippedLinks = std::to_array<std::string_view>(
    {"driver", "firmware_node", "of_node", "physical_node", "subsystem"});
/// Terminals of sessions, which come and go, and links by number, which /sys has, too.
constexpr auto kSkippedInDev =
    std::to_array<std::string_view>({"/dev/block", "/dev/char", "/dev/pts"});
/// Properties that have their own lines.
constexpr auto kSkippedProperties = std::to_array<std::string_view>(
    {"CURRENT_TAGS", "DEVLINKS", "DEVNAME", "DEVPATH", "DEVTYPE", "DRIVER", "IFINDEX", "INTERFACE",
     "MAJOR", "MINOR", "SUBSYSTEM", "TAGS"});

/// Whether the attribute is left out: see kSkippedFiles; sensors and counters, too.
bool is_skipped(std::string_view name) {
  const auto is_sensor = [&](std::string_view prefix) {
    return name.starts_with(prefix) &&
           (name.ends_with("_input") || name.ends_with("_average") || name.ends_with("_raw"));
  };
  // "resource0" is the memory or the ports of a PCI function.
  return is_in(name, kSkippedFiles) || name.starts_with("resource") ||
         name.ends_with("_cur_freq") || name.ends_with("_used") || is_sensor("temp") ||
         is_sensor("in") || is_sensor("fan") || is_sensor("curr") || is_sensor("power") ||
         is_sensor("energy") || is_sensor("freq");
}

bool is_text(std::string_view value) {
  const auto is_control = [](char c) {
    return (c >= '\0' && c < ' ' && c != '\n' && c != '\t') || c == '\x7f';
  };
  return is_utf8(value) && std::ranges::none_of(value, is_control);
}

/// Whether a name or path can be written in a line.
bool is_writable(std::string_view path) {
  return is_utf8(path) && !has_control_character(path) && !path.contains('=');
}

/// Reads one device. Its thread may hang, so others see what is known so far.
class DeviceJob {
 public:
  DeviceJob(host::DeviceTree tree, std::string syspath)
      : tree_(std::move(tree)), syspath_(std::move(syspath)) {
    device_.path = syspath_.substr(tree_.sysfs.size());
  }

  void run() {
    read_identity();
    read_record();
    read_directory(syspath_, "", 0);
    const std::lock_guard lock(mutex_);
    done_ = true;
    changed_.notify_all();
  }

  /// Waits until all is read. False: a file did not answer within loop::kHungAfter.
  [[nodiscard]] bool wait() {
    std::unique_lock lock(mutex_);
    while (!done_) {
      const size_t before = files_;
      const bool goes_on =
          changed_.wait_for(lock, loop::kHungAfter, [&] { return done_ || files_ != before; });
      if (!goes_on) return false;
    }
    return true;
  }

  /// The device as far as it is known.
  [[nodiscard]] Device device() const {
    const std::lock_guard lock(mutex_);
    return device_;
  }
  /// The file that is being read.
  [[nodiscard]] std::string current() const {
    const std::lock_guard lock(mutex_);
    return current_;
  }

 private:
  template <typename Change>
  void update(const Change& change) {
    const std::lock_guard lock(mutex_);
    change(device_);
  }
  void begin(const std::string& file) {
    const std::lock_guard lock(mutex_);
    current_ = file;
    ++files_;
    changed_.notify_all();
  }

  void read_identity() {
    begin(syspath_ + "/uevent");
    const auto uevent = host::read_uevent_file(tree_.files, syspath_);
    const auto home = tree_.files.link_target(syspath_ + "/subsystem");
    const auto driver = host::link_name(tree_.files, syspath_ + "/driver");
    update([&](Device& device) {
      if (home) {
        device.subsystem = base_name(*home);
        device.on_bus = base_name(home->substr(0, home->rfind('/'))) == "bus";
      }
      device.driver = driver.value_or("");
      if (!uevent) return;
      device.devtype = uevent->devtype;
      device.ifindex = uevent->ifindex;
      if (!uevent->number || !uevent->devnode.starts_with("/dev/")) return;
      device.node = uevent->devnode.substr(std::string_view("/dev/").size());
      device.number = uevent->number;
      device.number->block = device.subsystem == "block";
    });
  }

  void read_record() {
    const auto record = host::UdevRecords(tree_).find(syspath_);
    if (!record) return;
    NamedValues properties = record->properties();
    std::erase_if(properties, [](const auto& property) {
      return is_in(property.first, kSkippedProperties) || !is_text(property.second);
    });
    // The time differs after each boot. The property says that udev has finished the device.
    const auto initialized = properties.find("USEC_INITIALIZED");
    if (initialized != properties.end()) initialized->second = "1";
    update([&](Device& device) {
      device.has_record = initialized != properties.end();
      device.properties = std::move(properties);
      device.tags = record->tags();
      for (const std::string& link : record->links()) {
        if (link.starts_with("/dev/")) device.devlinks.push_back(link.substr(5));
      }
    });
  }

  void read_directory(const std::string& directory, const std::string& prefix, int level) {
    auto names = tree_.files.names_in(directory);
    std::ranges::sort(names);
    for (const std::string& name : names) {
      const std::string path = directory + '/' + name;
      const auto status = tree_.files.link_status(path);
      if (!status || !is_writable(name)) continue;
      if (S_ISLNK(status->st_mode)) {
        read_link(path, prefix + name);
      } else if (S_ISREG(status->st_mode)) {
        const bool is_readable = (status->st_mode & S_IRUSR) != 0;
        if (is_readable && status->st_size <= kAttributeSize && !is_skipped(name)) {
          read_attribute(path, prefix + name);
        }
      } else if (S_ISDIR(status->st_mode) && level < kMostLevels &&
                 !is_in(name, kSkippedDirectories) && !tree_.files.exists(path + "/uevent")) {
        read_directory(path, prefix + name + '/', level + 1);
      }
    }
  }

  void read_attribute(const std::string& path, const std::string& name) {
    begin(path);
    const auto content = tree_.files.read_attribute(path);
    const std::string_view value = content ? trim_end(*content) : std::string_view();
    if (value.empty() || value.size() > kMostValueBytes || !is_text(value)) return;
    update([&](Device& device) { device.attributes.emplace(name, value); });
  }

  void read_link(const std::string& path, const std::string& name) {
    const bool is_order = name.starts_with("consumer:") || name.starts_with("supplier:");
    if (is_order || is_in(name, kSkippedLinks)) return;
    const auto target = tree_.files.resolve(path);
    if (!target || !target->starts_with(tree_.sysfs + '/')) return;
    // Readers make the link from a device of a class to the one above.
    if (name == "device" && syspath_.starts_with(*target + '/')) return;
    update([&](Device& device) { device.links.emplace(name, target->substr(tree_.sysfs.size())); });
  }

  const host::DeviceTree tree_;
  const std::string syspath_;
  mutable std::mutex mutex_;
  Device device_;        // Guarded by mutex_.
  std::string current_;  // Guarded by mutex_.
  size_t files_ = 0;     // Guarded by mutex_: number of files that were begun.
  bool done_ = false;    // Guarded by mutex_.
  std::condition_variable changed_;
};

/// The directories of the devices, and all above them, except those that the kernel makes for a
/// class between two devices, such as "net".
std::set<std::string> directories_of_devices(const host::DeviceTree& tree) {
  std::set<std::string> directories;
  for (std::string path : host::list_kernel_devices(tree, {"*"})) {
    while (tree.contains(path) && directories.insert(path).second) {
      const auto subsystem = host::link_name(tree.files, path + "/subsystem");
      path.resize(path.rfind('/'));
      if (base_name(path) == subsystem) path.resize(path.rfind('/'));
    }
  }
  return directories;
}

std::optional<HostFile> host_file(const paths::HostRoot& root, const std::string& path) {
  const auto status = root.link_status(path);
  if (!status) return std::nullopt;
  HostFile file;
  if (S_ISLNK(status->st_mode)) {
    file.kind = HostFile::Kind::link;
    file.content = root.link_target(path).value_or("");
  } else if (S_ISDIR(status->st_mode)) {
    file.kind = HostFile::Kind::directory;
  } else if (S_ISSOCK(status->st_mode)) {
    file.kind = HostFile::Kind::socket;
  } else if (S_ISCHR(status->st_mode) || S_ISBLK(status->st_mode)) {
    if (!path.starts_with("/dev/")) return std::nullopt;
    file.kind = HostFile::Kind::node;
    file.number = DeviceNumber{.block = S_ISBLK(status->st_mode),
                               .major = ::gnu_dev_major(status->st_rdev),
                               .minor = ::gnu_dev_minor(status->st_rdev)};
  } else if (S_ISREG(status->st_mode) && (status->st_mode & S_IXUSR) != 0) {
    file.kind = HostFile::Kind::program;
  }
  return file;
}

/// Adds the path, and every link that it leads to, unless a device makes it.
void add_path(const paths::HostRoot& root, std::string path, const std::set<std::string>& made,
              Machine& machine) {
  for (int links = 0; links <= kMostLinks; ++links) {
    if (made.contains(path) || path.starts_with("/sys/") || !is_writable(path)) return;
    auto file = host_file(root, path);
    if (!file || !is_text(file->content)) return;
    const std::string target = file->kind == HostFile::Kind::link ? file->content : "";
    if (!machine.files.emplace(path, *std::move(file)).second || target.empty()) return;
    path = fs::path(path).parent_path() / target;
    path = fs::path(path).lexically_normal();
  }
}

/// The nodes and links of devices, which readers make.
std::set<std::string> made_paths(const Machine& machine) {
  std::set<std::string> paths;
  for (const auto& [path, device] : machine.devices) {
    if (!device.node.empty()) paths.insert("/dev/" + device.node);
    for (const std::string& link : device.devlinks) paths.insert("/dev/" + link);
  }
  return paths;
}

void add_dev(const paths::HostRoot& root, const std::string& directory, int level,
             const std::set<std::string>& made, Machine& machine) {
  auto names = root.names_in(directory);
  std::ranges::sort(names);
  for (const std::string& name : names) {
    const std::string path = directory + '/' + name;
    const auto status = root.link_status(path);
    if (!status || made.contains(path)) continue;
    if (S_ISDIR(status->st_mode) && level < kMostDevLevels && !is_in(path, kSkippedInDev)) {
      add_dev(root, path, level + 1, made, machine);
    } else if (S_ISCHR(status->st_mode) || S_ISBLK(status->st_mode)) {
      add_path(root, path, made, machine);
    } else if (S_ISLNK(status->st_mode)) {
      // Links to /proc lead to files of this process.
      const auto target = root.link_target(path);
      if (!target || target->starts_with("/proc/")) continue;
      const auto resolved = root.resolve(path);
      const auto node = resolved ? root.link_status(*resolved) : std::nullopt;
      if (node && (S_ISCHR(node->st_mode) || S_ISBLK(node->st_mode))) {
        add_path(root, path, made, machine);
      }
    }
  }
}

void add_content(const std::string& path, std::string content, Machine& machine) {
  if (!path.starts_with('/') || !is_writable(path) || !is_text(content)) return;
  machine.files.insert_or_assign(
      path, HostFile{.kind = HostFile::Kind::file, .content = std::move(content), .number = {}});
}

}  // namespace

Recording record_devices(const host::DeviceTree& tree) {
  Recording recording;
  const loop::Executor executor;
  for (const std::string& directory : directories_of_devices(tree)) {
    const auto job = std::make_shared<DeviceJob>(tree, directory);
    loop::Task work = [job] { job->run(); };
    if (!loop::Executor(executor).start(work)) {
      recording.unanswered.push_back(directory);
      continue;
    }
    if (!job->wait()) recording.unanswered.push_back(job->current());
    Device device = job->device();
    recording.machine.devices.emplace(device.path, std::move(device));
  }
  const std::string nodes = tree.top + "/system/node/online";
  if (auto online = tree.files.read_file(nodes)) {
    add_content(nodes, *std::move(online), recording.machine);
  }
  add_dev(tree.files, "/dev", 1, made_paths(recording.machine), recording.machine);
  return recording;
}

void add_host_path(const std::string& path, const paths::HostRoot& root, Machine& machine) {
  add_path(root, path, made_paths(machine), machine);
}

void add_file_content(const std::string& path, const paths::HostRoot& root, Machine& machine) {
  if (auto content = root.read_file(path)) add_content(path, *std::move(content), machine);
}

void add_attributes(const DeviceFacts& device, const std::string& name,
                    const host::DeviceTree& tree, Machine& machine) {
  const std::string syspath(device.syspath());
  if (!tree.contains(syspath)) return;
  for (const std::string& path :
       paths::walk_glob(tree.files, paths::escape_glob(syspath) + '/' + name).paths) {
    const auto content = tree.files.read_attribute(path);
    const std::string_view value = content ? trim_end(*content) : std::string_view();
    if (value.empty() || !is_text(value) || !is_writable(path)) continue;
    // The path may lead through links to another device.
    const auto file = tree.files.resolve(path);
    if (!file || !tree.contains(*file)) continue;
    std::string directory = file->substr(tree.sysfs.size());
    auto owner = machine.devices.end();
    while (owner == machine.devices.end() && directory.contains('/')) {
      directory.resize(directory.rfind('/'));
      owner = machine.devices.find(directory);
    }
    if (owner == machine.devices.end()) continue;
    owner->second.attributes.emplace(file->substr(tree.sysfs.size() + owner->first.size() + 1),
                                     value);
  }
}

void add_entities(const std::vector<DeviceFactsPtr>& entities, const host::DeviceTree& tree,
                  Machine& machine) {
  const std::set<std::string> made = made_paths(machine);
  for (const DeviceFactsPtr& facts : entities) {
    if (facts->kind == DeviceKind::path) add_path(tree.files, facts->key, made, machine);
    for (const FactValue& value : facts->known.list()) {
      if (value.fact == Fact::file) add_content(value.argument, value.value, machine);
      if (value.fact == Fact::attribute) add_attributes(*facts, value.argument, tree, machine);
    }
  }
}

void add_node_facts(const NodeFacts& facts, const paths::HostRoot& root, Machine& machine) {
  for (const auto& [path, content] : facts.files) add_content(path, content, machine);
  const std::set<std::string> made = made_paths(machine);
  for (const std::string& pattern : facts.globs) {
    for (const std::string& path : paths::walk_glob(root, pattern).paths) {
      add_path(root, path, made, machine);
    }
  }
}

}  // namespace patchbay::machine
