#include <algorithm>
#include <climits>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/whole_number.h"
#include "machine/kernel_properties.h"
#include "machine/machine_text.h"

namespace patchbay::machine {
namespace {

/// Whether the text is a number: the value of a line of udevadm that has another meaning here.
bool is_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

/// A path that cannot lead out of the directory to which it belongs.
bool is_plain_path(std::string_view path) {
  const auto names = split(path, '/');
  return !path.empty() && path.size() < PATH_MAX && !has_control_character(path) &&
         std::ranges::none_of(
             names, [](auto name) { return name.empty() || name == "." || name == ".."; });
}

bool is_name(std::string_view text) { return is_plain_path(text) && !text.contains('/'); }

bool is_absolute(std::string_view path) {
  return path.starts_with('/') && is_plain_path(path.substr(1));
}

/// The number of a node: "c 188:0".
std::optional<DeviceNumber> parse_node(std::string_view text) {
  const size_t colon = text.find(':');
  if (!(text.starts_with("c ") || text.starts_with("b ")) || colon == std::string_view::npos) {
    return std::nullopt;
  }
  const auto major = parse_whole<uint32_t>(text.substr(2, colon - 2));
  const auto minor = parse_whole<uint32_t>(text.substr(colon + 1));
  if (!major || !minor) return std::nullopt;
  return DeviceNumber{.block = text.front() == 'b', .major = *major, .minor = *minor};
}

struct Assignment {
  std::string name;
  std::string value;
};

std::optional<Assignment> parse_assignment(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) return std::nullopt;
  return Assignment{std::string(text.substr(0, equals)), unescaped(text.substr(equals + 1))};
}

/// The mistake in a line. Empty: none.
using Fault = std::string;

constexpr const char* kNameAndValue = "NAME=VALUE is expected";
constexpr const char* kPlainName = "the name is no path below the device's directory";
constexpr const char* kNodeNumber = "the type and number of a node are expected, such as 'c 188:0'";

class Reader {
 public:
  explicit Reader(std::string name) : name_(std::move(name)) {}

  Result<Machine> run(std::string_view text) {
    size_t number = 0;
    std::string_view last;
    for (std::string_view line : split(text, '\n')) {
      if (++number > kMostLines) return failure(number, "the file has too many lines");
      while (line.ends_with('\r')) line.remove_suffix(1);
      if (number == 1 && line.starts_with(kHeader)) {
        if (Fault fault = read_header(line); !fault.empty()) return failure(1, fault);
        continue;
      }
      if (Fault fault = read_line(line, number); !fault.empty()) return failure(number, fault);
      if (!line.empty()) last = line;
    }
    if (has_header_ && last != kEnd) {
      return failure(number, fmt::format("the file is cut: its last line is not '{}'; record the "
                                         "machine again",
                                         kEnd));
    }
    if (machine_.devices.empty() && machine_.files.empty()) {
      return failure(1, "the file describes no device; `patchbay snapshot` writes such a file");
    }
    return complete();
  }

 private:
  [[nodiscard]] std::unexpected<Error> failure(size_t line, const std::string& what) const {
    return fail(fmt::format("{}:{}: {}", printable(name_, 500), line, what));
  }

  Fault read_header(std::string_view line) {
    const auto version = parse_whole<unsigned>(line.substr(std::string_view(kHeader).size()));
    if (!version) return "a format number is expected at the end of this line";
    if (*version > kFormat) {
      return fmt::format(
          "the file has format {}, and this program reads format {}: use the "
          "patchbay that recorded it, or a newer one",
          *version, kFormat);
    }
    has_header_ = true;
    return {};
  }

  Fault read_line(std::string_view line, size_t number) {
    if (line.empty() || line.starts_with('#')) return {};
    const bool has_letter = line.size() >= 3 && line[1] == ':' && line[2] == ' ';
    // udevadm writes the line breaks in a value as they are.
    const bool continues = !has_letter || line.front() < 'A' || line.front() > 'Z';
    if (continues && letter_ == 'E' && !has_header_) return {};
    if (!has_letter) {
      return "a letter, a colon and a space are expected, such as 'P: /devices/…'";
    }
    const std::string_view text = line.substr(3);
    const char letter = letter_ = line.front();
    if (letter == 'P') return begin_device(text, number);
    if (std::string_view("FKXC").contains(letter)) return read_host_line(letter, text);
    if (letter == 'R') return is_number(text) ? Fault() : read_host_line(letter, text);
    if (letter == 'L' && text.starts_with('/')) return read_host_line(letter, text);
    if (device_ == nullptr) {
      return fmt::format("'{}:' belongs to a device, and no 'P:' is above it",
                         printable(line.substr(0, 1)));
    }
    return read_device_line(letter, text, number);
  }

  Fault begin_device(std::string_view text, size_t number) {
    if (!text.starts_with("/devices/") || !is_absolute(text)) {
      return "a path below /devices is expected, as udevadm prints it";
    }
    const auto [entry, is_new] = machine_.devices.try_emplace(std::string(text));
    if (!is_new && has_header_) {
      return fmt::format("this device is in line {} already", entry->second.line);
    }
    if (machine_.devices.size() > kMostDevices) return "the file has too many devices";
    device_ = &entry->second;
    *device_ = {};  // Some versions of udevadm print a device twice.
    device_->path = text;
    device_->line = number;
    return {};
  }

  Fault read_device_line(char letter, std::string_view text, size_t number) {
    switch (letter) {
      case 'U':
        return set_subsystem(text);
      case 'T':
        if (has_control_character(text)) return "a type without control characters is expected";
        return set(device_->devtype, letter, text);
      case 'V':
        if (!is_name(text)) return "the name of a driver is expected";
        return set(device_->driver, letter, text);
      case 'N':
        if (!is_plain_path(text)) return "a path below /dev is expected, without '/dev/'";
        return set(device_->node, letter, text);
      case 'D':
        device_->number = parse_node(text);
        return device_->number ? Fault() : kNodeNumber;
      case 'I':
        device_->ifindex = parse_whole<uint32_t>(text);
        return device_->ifindex ? Fault() : "the number of a network interface is expected";
      case 'A':
        if (!is_plain_path(text.substr(0, text.find('=')))) return kPlainName;
        return add(device_->attributes, text);
      case 'L':  // The priority of links, in the output of udevadm.
        return is_number(text) ? Fault() : add_link(text);
      case 'E':
        return add(device_->properties, text);
      case 'S':
        if (!is_line(text)) {
          machine_.left_out.push_back(
              fmt::format("{}:{}: the link is left out: a path cannot have this character: '{}'",
                          printable(name_, 500), number, printable(text)));
          return {};
        }
        if (!is_plain_path(text)) return "a path below /dev is expected, without '/dev/'";
        device_->devlinks.emplace_back(text);
        return {};
      case 'G':
        if (has_control_character(text)) return "a tag without control characters is expected";
        device_->tags.emplace_back(text);
        return {};
      // Other lines of udevadm: name, disk sequence number, device id, bus of the driver.
      case 'M':
      case 'Q':
      case 'J':
      case 'B':
        return {};
      default:
        return fmt::format(
            "'{}:' is unknown: the file is from a newer patchbay, or describes no "
            "machine",
            printable(std::string(1, letter)));
    }
  }

  static Fault set(std::string& field, char letter, std::string_view text) {
    if (!field.empty()) return fmt::format("a second '{}:' for this device", letter);
    if (text.empty()) return fmt::format("'{}:' without a value", letter);
    field = text;
    return {};
  }

  /// "tty", or with its directory in /sys: "bus/pci".
  Fault set_subsystem(std::string_view text) {
    const size_t slash = text.find('/');
    const std::string_view parent = slash == std::string_view::npos ? "" : text.substr(0, slash);
    if (slash != std::string_view::npos && parent != "bus" && parent != "class") {
      return "a subsystem is expected, such as 'tty' or 'bus/pci'";
    }
    const std::string_view subsystem = text.substr(slash == std::string_view::npos ? 0 : slash + 1);
    if (!is_name(subsystem)) return "a subsystem is expected";
    device_->on_bus =
        parent == "bus" || (parent.empty() && is_usually_on_bus(device_->path, subsystem));
    return set(device_->subsystem, 'U', subsystem);
  }

  static Fault add(NamedValues& values, std::string_view text) {
    const auto assignment = parse_assignment(text);
    if (!assignment) return kNameAndValue;
    const bool is_new = values.emplace(assignment->name, assignment->value).second;
    return is_new ? Fault() : second_value(assignment->name);
  }

  Fault add_link(std::string_view text) {
    const auto assignment = parse_assignment(text);
    if (!assignment || !is_absolute(assignment->value)) {
      return "NAME=/PATH is expected, with a path below /sys";
    }
    if (!is_plain_path(assignment->name)) return kPlainName;
    const bool is_new = device_->links.emplace(assignment->name, assignment->value).second;
    return is_new ? Fault() : second_value(assignment->name);
  }

  static Fault second_value(const std::string& name) {
    return fmt::format("a second value for '{}' of this device", printable(name));
  }

  Fault read_host_line(char letter, std::string_view text) {
    if (letter == 'C') return {};  // Nothing is contacted on a recorded machine.
    if (letter == 'K') {
      return add_file(std::string(text), {.kind = HostFile::Kind::socket});
    }
    auto assignment = parse_assignment(text);
    if (letter == 'F' && !assignment && text.ends_with('/')) {
      return add_file(std::string(text.substr(0, text.size() - 1)),
                      {.kind = HostFile::Kind::directory});
    }
    if (!assignment) return kNameAndValue;
    auto& [path, value] = *assignment;
    switch (letter) {
      case 'F':
        return add_file(path, {.kind = HostFile::Kind::file, .content = std::move(value)});
      case 'R':
        return add_file(path, {.kind = HostFile::Kind::program, .content = std::move(value)});
      case 'L':
        return add_file(path, {.kind = HostFile::Kind::link, .content = std::move(value)});
      default: {
        const auto number = parse_node(value);
        if (!number) return kNodeNumber;
        return add_file("/dev/" + path,
                        {.kind = HostFile::Kind::node, .content = {}, .number = number});
      }
    }
  }

  Fault add_file(std::string path, HostFile file) {
    if (!is_absolute(path)) return "an absolute path is expected, without '.', '..' and '//'";
    const bool is_new = machine_.files.emplace(std::move(path), std::move(file)).second;
    return is_new ? Fault() : "this path is in the file already";
  }

  Result<Machine> complete() {
    for (auto& [path, device] : machine_.devices) {
      complete_from_properties(device);
      if (!is_valid(device)) {
        return failure(device.line,
                       "a property of this device has a value that the kernel never writes");
      }
      if (!device.node.empty() != device.number.has_value()) {
        return failure(device.line, "this device needs both or none of 'N:' and 'D:'");
      }
      if (device.number) device.number->block = device.subsystem == "block";
      // A snapshot says what udev knows; elsewhere udev is assumed to have finished each device.
      device.has_record = has_header_
                              ? device.properties.contains("USEC_INITIALIZED")
                              : device.number || device.ifindex || !device.properties.empty() ||
                                    !device.tags.empty() || !device.devlinks.empty();
      if (!has_header_) {
        if (device.subsystem.empty()) return failure(device.line, "this device needs 'U:'");
        continue;
      }
      if (!has_parent(device)) {
        return failure(device.line,
                       "the device above this one is not in the file: record the machine again, "
                       "or copy its block from the original file");
      }
    }
    return std::move(machine_);
  }

  /// Whether values from properties are as from their own lines.
  static bool is_valid(const Device& device) {
    return (device.subsystem.empty() || is_name(device.subsystem)) &&
           (device.driver.empty() || is_name(device.driver)) &&
           (device.node.empty() || is_plain_path(device.node)) &&
           !has_control_character(device.devtype) &&
           std::ranges::none_of(device.tags, has_control_character);
  }

  /// A snapshot has all directories of devices. The others are at the top of the tree, or have the
  /// name of a subsystem, which is missing if the device did not answer.
  [[nodiscard]] bool has_parent(const Device& device) const {
    if (device.subsystem.empty()) return true;
    std::string above = device.path.substr(0, device.path.rfind('/'));
    if (base_name(above) == device.subsystem) above.resize(above.rfind('/'));
    const bool is_top = std::ranges::count(above, '/') <= 2;
    return is_top || above.starts_with("/devices/virtual/") || machine_.devices.contains(above);
  }

  std::string name_;
  Machine machine_;
  Device* device_ = nullptr;  ///< The device of the last P: line.
  char letter_ = 0;           ///< That of the last line with one.
  bool has_header_ = false;
};

}  // namespace

Result<Machine> read_machine(const std::string& name, std::string_view text) {
  if (text.size() > kMostTextBytes) {
    return fail(fmt::format("{}: the file is larger than {} MiB", printable(name, 500),
                            kMostTextBytes >> 20U));
  }
  return Reader(name).run(text);
}

}  // namespace patchbay::machine
