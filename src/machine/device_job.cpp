#include "machine/device_job.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "host/facts/sysfs_files.h"
#include "host/facts/udev_record.h"
#include "loop/executor.h"
#include "machine/machine_text.h"

namespace patchbay::machine {
namespace {

/// Longer values are tables or logs, which rules do not compare.
constexpr size_t kMostValueBytes = 1024;
/// The size that the kernel shows for attributes. Binary ones often have another.
constexpr off_t kAttributeSize = paths::HostRoot::kMostAttributeBytes;
constexpr int kMostLevels = 2;  ///< Directories of attributes below a device.

/// Secrets, which only root can read.
constexpr std::string_view kSecrets =
    "dhchap_ctrl_secret dhchap_secret password password_in username username_in";
/// Values that change by themselves, binary data, and values that have their own lines.
constexpr std::string_view kSkippedFiles =
    "actual_brightness bd_stat carrier_changes carrier_down_count carrier_up_count config "
    "cur_state current_device date debug_stat dev edid eeprom energy_now gpu_busy_percent ifindex "
    "inflight io_stat max_bytes mem_busy_percent meminfo min_bytes mm_stat numastat rom "
    "since_epoch stat temp time uevent urbnum vmstat voltage_now vpd";
/// Directories with statistics, state of the kernel, or many equal files.
constexpr std::string_view kSkippedDirectories =
    "cache cpufreq cpuidle crash_notes hotplug msi_irqs power statistics thermal_throttle "
    "topology trace";
/// Links to descriptions of the firmware, and links that have their own lines.
constexpr std::string_view kSkippedLinks = "driver firmware_node of_node physical_node subsystem";
/// Properties that have their own lines.
constexpr std::string_view kSkippedProperties =
    "CURRENT_TAGS DEVLINKS DEVNAME DEVPATH DEVTYPE DRIVER IFINDEX INTERFACE MAJOR MINOR SUBSYSTEM "
    "TAGS";

/// Whether the attribute is left out: see kSkippedFiles; sensors and counters, too.
bool is_skipped(std::string_view name) {
  const auto is_sensor = [&](std::string_view prefix) {
    return name.starts_with(prefix) &&
           (name.ends_with("_input") || name.ends_with("_average") || name.ends_with("_raw"));
  };
  // "resource0" is the memory or the ports of a PCI function.
  return is_secret(name) || contains_word(kSkippedFiles, name) || name.starts_with("resource") ||
         name.ends_with("_cur_freq") || name.ends_with("_used") || is_sensor("temp") ||
         is_sensor("in") || is_sensor("fan") || is_sensor("curr") || is_sensor("power") ||
         is_sensor("energy") || is_sensor("freq");
}

}  // namespace

bool is_secret(std::string_view name) { return contains_word(kSecrets, name); }

DeviceJob::DeviceJob(host::DeviceTree tree, std::string syspath)
    : tree_(std::move(tree)), syspath_(std::move(syspath)) {
  device_.path = syspath_.substr(tree_.sysfs.size());
}

void DeviceJob::run() {
  read_identity();
  read_record();
  read_directory(syspath_, "", 0);
  const std::lock_guard lock(mutex_);
  done_ = true;
  changed_.notify_all();
}

bool DeviceJob::wait() {
  std::unique_lock lock(mutex_);
  while (!done_) {
    const size_t before = files_;
    const bool goes_on =
        changed_.wait_for(lock, loop::kHungAfter, [&] { return done_ || files_ != before; });
    if (!goes_on) return false;
  }
  return true;
}

Device DeviceJob::device() const {
  const std::lock_guard lock(mutex_);
  return device_;
}

std::string DeviceJob::current() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

void DeviceJob::begin(const std::string& file) {
  const std::lock_guard lock(mutex_);
  current_ = file;
  ++files_;
  changed_.notify_all();
}

void DeviceJob::read_identity() {
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
    if (!uevent->number || !uevent->devnode.starts_with("/dev/") || !is_line(uevent->devnode)) {
      return;
    }
    device.node = uevent->devnode.substr(std::string_view("/dev/").size());
    device.number = uevent->number;
    device.number->block = device.subsystem == "block";
  });
}

void DeviceJob::read_record() {
  const auto record = host::UdevRecords(tree_).find(syspath_);
  if (!record) return;
  NamedValues properties = record->properties();
  std::erase_if(properties, [](const auto& property) {
    return contains_word(kSkippedProperties, property.first) || !is_text(property.second);
  });
  // The time differs after each boot. The property says that udev has finished the device.
  const auto initialized = properties.find("USEC_INITIALIZED");
  if (initialized != properties.end()) initialized->second = "1";
  update([&](Device& device) {
    device.has_record = initialized != properties.end();
    device.properties = std::move(properties);
    device.tags = record->tags();
    for (const std::string& link : record->links()) {
      if (link.starts_with("/dev/") && is_line(link)) device.devlinks.push_back(link.substr(5));
    }
  });
}

void DeviceJob::read_directory(const std::string& directory, const std::string& prefix, int level) {
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
               !contains_word(kSkippedDirectories, name) && !tree_.files.exists(path + "/uevent")) {
      read_directory(path, prefix + name + '/', level + 1);
    }
  }
}

void DeviceJob::read_attribute(const std::string& path, const std::string& name) {
  begin(path);
  const auto content = tree_.files.read_attribute(path);
  const std::string_view value = content ? trim_end(*content) : std::string_view();
  if (value.empty() || value.size() > kMostValueBytes || !is_text(value)) return;
  update([&](Device& device) { device.attributes.emplace(name, value); });
}

void DeviceJob::read_link(const std::string& path, const std::string& name) {
  const bool is_order = name.starts_with("consumer:") || name.starts_with("supplier:");
  if (is_order || contains_word(kSkippedLinks, name)) return;
  const auto target = tree_.files.resolve(path);
  if (!target || !target->starts_with(tree_.sysfs + '/') || !is_line(*target)) return;
  // Readers make the link from a device of a class to the one above.
  if (name == "device" && syspath_.starts_with(*target + '/')) return;
  update([&](Device& device) { device.links.emplace(name, target->substr(tree_.sysfs.size())); });
}

}  // namespace patchbay::machine
