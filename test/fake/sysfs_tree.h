#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "fake/temp_dir.h"

namespace patchbay::fake {

/// A tree like /sys/devices, with files and links in the kernel's layout.
class SysfsTree {
 public:
  using Files = std::map<std::string, std::string>;

  /// The directory that replaces /sys.
  [[nodiscard]] std::string root() const { return dir_ / "sys"; }
  /// The syspath of a device, given relative to devices/.
  [[nodiscard]] std::string syspath(const std::string& device) const {
    return root() + "/devices/" + device;
  }

  /// Adds a device with its `uevent` and these attributes.
  void add(const std::string& device, const std::string& subsystem, const Files& files = {},
           const std::string& uevent = {}) const {
    write(device + "/uevent", uevent);
    for (const auto& [name, text] : files) write(device + '/' + name, text + '\n');
    const bool bus = kBuses.contains(subsystem);
    link(device + "/subsystem", root() + (bus ? "/bus/" : "/class/") + subsystem);
  }
  void write(const std::string& file, const std::string& text) const {
    static_cast<void>(dir_.write("sys/devices/" + file, text));
  }
  /// Adds a link below devices/. Its target need not exist.
  void link(const std::string& from, const std::string& target) const {
    std::filesystem::create_directories(std::filesystem::path(syspath(from)).parent_path());
    std::filesystem::create_symlink(target, syspath(from));
  }

 private:
  inline static const std::set<std::string> kBuses{"pci", "platform", "usb", "usb-serial"};

  TempDir dir_;
};

}  // namespace patchbay::fake
