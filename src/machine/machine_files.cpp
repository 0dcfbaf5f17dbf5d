#include "machine/machine_files.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::machine {
namespace {

mode_t type_of(const DeviceNumber& number) { return number.block ? S_IFBLK : S_IFCHR; }

dev_t dev_of(const DeviceNumber& number) { return ::gnu_dev_makedev(number.major, number.minor); }

/// The path of `target` relative to the directory of `link`, as the kernel and udev store links.
std::string relative(const std::string& link, const std::string& target) {
  size_t common = 0;  // Length of the path that both have in common, with its slash.
  for (size_t i = 0; i < std::min(link.size(), target.size()) && link[i] == target[i]; ++i) {
    if (link[i] == '/') common = i + 1;
  }
  std::string path;
  for (auto up = std::count(link.begin() + static_cast<ptrdiff_t>(common), link.end(), '/'); up > 0;
       --up) {
    path += "../";
  }
  return path + target.substr(common);
}

/// Adds the recorded entries first, then those that the kernel and udev make for the devices.
class Builder {
 public:
  explicit Builder(const Machine& machine) : machine_(machine) {}

  std::shared_ptr<const paths::MemoryFiles> run() {
    for (const auto& [path, device] : machine_.devices) add_recorded(device);
    for (const auto& [path, device] : machine_.devices) add_device(device);
    // Two devices may claim one link, and udev gives it to one of them.
    for (const auto& [link, node] : devlinks_) files_->add_link(link, relative(link, node));
    for (const auto& [path, file] : machine_.files) add_file(path, file);
    add_usual_nodes();
    for (const char* directory : {"/sys/class", "/sys/bus", "/run/udev/data"}) {
      files_->add_directory(directory);
    }
    return files_;
  }

 private:
  void add_recorded(const Device& device) {
    const std::string directory = "/sys" + device.path;
    files_->add_directory(directory);
    for (const auto& [name, target] : device.links)
      add_link(directory + '/' + name, "/sys" + target);
    for (const auto& [name, value] : device.attributes) {
      files_->add_file(directory + '/' + name, value + '\n');
    }
  }

  void add_device(const Device& device) {
    const std::string directory = "/sys" + device.path;
    files_->add_file(directory + "/uevent", uevent_of(device));
    if (device.subsystem.empty()) return;
    const std::string name(base_name(device.path));
    const std::string home =
        fmt::format("/sys/{}/{}", device.on_bus ? "bus" : "class", device.subsystem);
    add_link(directory + "/subsystem", home);
    add_link(home + (device.on_bus ? "/devices/" : "/") + name, directory);
    if (!device.driver.empty()) add_link(directory + "/driver", home + "/drivers/" + device.driver);
    if (!device.on_bus) link_parent(device);
    if (device.ifindex)
      files_->add_file(directory + "/ifindex", fmt::format("{}\n", *device.ifindex));
    if (device.number) add_node(device, directory);
    add_record(device, name);
  }

  /// Devices of a class have a link to the device above.
  void link_parent(const Device& device) {
    std::string above = device.path;
    while (above.size() > 1) {
      above.resize(std::max<size_t>(above.rfind('/'), 1));
      if (!machine_.devices.contains(above)) continue;
      return add_link("/sys" + device.path + "/device", "/sys" + above);
    }
  }

  void add_node(const Device& device, const std::string& directory) {
    const std::string number = fmt::format("{}:{}", device.number->major, device.number->minor);
    const std::string node = "/dev/" + device.node;
    files_->add_file(directory + "/dev", number + '\n');
    add_link(fmt::format("/sys/dev/{}/{}", device.number->block ? "block" : "char", number),
             directory);
    files_->add_node(node, type_of(*device.number), dev_of(*device.number));
    for (const std::string& link : device.devlinks) devlinks_["/dev/" + link] = node;
  }

  /// The device's record in udev's database.
  void add_record(const Device& device, const std::string& name) {
    if (!device.has_record) return;
    std::string id = fmt::format("+{}:{}", device.subsystem, name);
    if (device.number) {
      id = fmt::format("{}{}:{}", device.number->block ? 'b' : 'c', device.number->major,
                       device.number->minor);
    } else if (device.ifindex) {
      id = fmt::format("n{}", *device.ifindex);
    }
    std::string text;
    for (const std::string& link : device.devlinks) text += fmt::format("S:{}\n", link);
    text += "I:1\n";
    for (const auto& [key, value] : device.properties) text += fmt::format("E:{}={}\n", key, value);
    for (const std::string& tag : device.tags) text += fmt::format("G:{0}\nQ:{0}\n", tag);
    files_->add_file("/run/udev/data/" + id, text + "V:1\n");
  }

  void add_file(const std::string& path, const HostFile& file) {
    switch (file.kind) {
      case HostFile::Kind::file:
        files_->add_file(path, file.content);
        break;
      case HostFile::Kind::program:
        files_->add_file(path, file.content, 0755);
        break;
      case HostFile::Kind::directory:
        files_->add_directory(path);
        break;
      case HostFile::Kind::link:
        files_->add_link(path, file.content);
        break;
      case HostFile::Kind::socket:
        files_->add_node(path, S_IFSOCK, 0);
        break;
      case HostFile::Kind::node:
        files_->add_node(path, type_of(*file.number), dev_of(*file.number));
        break;
    }
  }

  /// A link of /sys to another directory of /sys, which is created if it does not exist.
  void add_link(const std::string& link, const std::string& target) {
    files_->add_directory(target);
    files_->add_link(link, relative(link, target));
  }

  void add_usual_nodes() {
    static constexpr std::array<std::pair<const char*, unsigned>, 5> kNodes{
        {{"null", 3}, {"zero", 5}, {"full", 7}, {"random", 8}, {"urandom", 9}}};
    for (const auto& [name, minor] : kNodes) {
      files_->add_node(fmt::format("/dev/{}", name), S_IFCHR, ::gnu_dev_makedev(1, minor));
    }
  }

  /// With the kernel's own values only.
  static std::string uevent_of(const Device& device) {
    std::string text;
    if (device.number) {
      text += fmt::format("MAJOR={}\nMINOR={}\nDEVNAME={}\n", device.number->major,
                          device.number->minor, device.node);
    }
    if (!device.devtype.empty()) text += fmt::format("DEVTYPE={}\n", device.devtype);
    if (!device.driver.empty()) text += fmt::format("DRIVER={}\n", device.driver);
    if (device.ifindex) {
      text += fmt::format("INTERFACE={}\nIFINDEX={}\n", base_name(device.path), *device.ifindex);
    }
    // Without a record, all properties are the kernel's. With one, only some are known to be: the
    // names of the device in the device tree.
    for (const auto& [name, value] : device.properties) {
      if (!device.has_record || name.starts_with("OF_")) {
        text += fmt::format("{}={}\n", name, value);
      }
    }
    return text;
  }

  const Machine& machine_;
  std::shared_ptr<paths::MemoryFiles> files_ = std::make_shared<paths::MemoryFiles>();
  std::map<std::string, std::string> devlinks_;  ///< Node by link.
};

}  // namespace

std::shared_ptr<const paths::MemoryFiles> files_of(const Machine& machine) {
  return Builder(machine).run();
}

}  // namespace patchbay::machine
