#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/facts.h"

/// A recorded machine: the facts of a node that rules can compare. docs/machine-files.md describes
/// its text.
namespace patchbay::machine {

/// A directory of the kernel's device tree. Rules cannot match a directory without a subsystem, but
/// facts of other devices may come from its attributes and links.
struct Device {
  std::string path{};       ///< Below /sys: /devices/….
  std::string subsystem{};  ///< Empty: none.
  bool on_bus = false;      ///< Listed in /sys/bus instead of /sys/class.
  std::string devtype{};
  std::string driver{};
  std::string node{};                    ///< Below /dev. Empty if there is none.
  std::optional<DeviceNumber> number{};  ///< Number of the node.
  std::optional<uint32_t> ifindex{};     ///< Index of a network interface.
  NamedValues attributes{};              ///< Content by path below the directory.
  NamedValues links{};                   ///< Target below /sys by path below the directory.
  NamedValues properties{};              ///< Udev properties.
  std::vector<std::string> devlinks{};   ///< Udev links, below /dev.
  std::vector<std::string> tags{};       ///< Udev tags.
  bool has_record = false;               ///< udev has processed the device, and has a record of it.
  /// First line of the device in the text. 0 if there is none.
  size_t line = 0;
};

/// A path outside the device tree.
struct HostFile {
  enum class Kind : uint8_t { file, program, directory, link, socket, node };
  Kind kind = Kind::file;
  std::string content{};                 ///< Content of a file or program; target of a link.
  std::optional<DeviceNumber> number{};  ///< Number of a node.
};

struct Machine {
  std::map<std::string, Device, std::less<>> devices;  ///< By path.
  std::map<std::string, HostFile, std::less<>> files;  ///< By path.
  std::vector<std::string> left_out;  ///< Links that the reader left out, with the reason.
};

/// Whether a device of that subsystem is in /sys/bus, unless the text says otherwise.
[[nodiscard]] bool is_usually_on_bus(std::string_view path, std::string_view subsystem);

}  // namespace patchbay::machine
