#include "machine/machine_writer.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "machine/machine_text.h"

namespace patchbay::machine {
namespace {

void add_line(std::string& text, char letter, const std::string& value) {
  if (!value.empty()) text += fmt::format("{}: {}\n", letter, value);
}

void add_assignments(std::string& text, char letter, const NamedValues& values) {
  for (const auto& [name, value] : values) {
    text += fmt::format("{}: {}={}\n", letter, name, escaped(value));
  }
}

void add_list(std::string& text, char letter, std::vector<std::string> values) {
  std::ranges::sort(values, natural_less);
  for (const std::string& value : values) add_line(text, letter, value);
}

std::string number_text(const DeviceNumber& number) {
  return fmt::format("{} {}:{}", number.block ? 'b' : 'c', number.major, number.minor);
}

void add_device(std::string& text, const Device& device) {
  text += fmt::format("\nP: {}\n", device.path);
  if (device.on_bus == is_usually_on_bus(device.path, device.subsystem)) {
    add_line(text, 'U', device.subsystem);
  } else {
    text += fmt::format("U: {}/{}\n", device.on_bus ? "bus" : "class", device.subsystem);
  }
  add_line(text, 'T', device.devtype);
  add_line(text, 'V', device.driver);
  add_line(text, 'N', device.node);
  if (device.number) add_line(text, 'D', number_text(*device.number));
  if (device.ifindex) add_line(text, 'I', std::to_string(*device.ifindex));
  add_assignments(text, 'A', device.attributes);
  add_assignments(text, 'L', device.links);
  add_list(text, 'S', device.devlinks);
  add_assignments(text, 'E', device.properties);
  add_list(text, 'G', device.tags);
}

void add_file(std::string& text, const std::string& path, const HostFile& file) {
  switch (file.kind) {
    case HostFile::Kind::file:
      text += fmt::format("F: {}={}\n", path, escaped(file.content));
      break;
    case HostFile::Kind::program:
      text += fmt::format("R: {}={}\n", path, escaped(file.content));
      break;
    case HostFile::Kind::directory:
      text += fmt::format("F: {}/\n", path);
      break;
    case HostFile::Kind::link:
      text += fmt::format("L: {}={}\n", path, escaped(file.content));
      break;
    case HostFile::Kind::socket:
      text += fmt::format("K: {}\n", path);
      break;
    case HostFile::Kind::node:
      text += fmt::format("X: {}={}\n", path.substr(std::string_view("/dev/").size()),
                          number_text(*file.number));
      break;
  }
}

}  // namespace

std::string write_machine(const Machine& machine, const std::vector<std::string>& notes) {
  std::string text = fmt::format("{}{}\n", kHeader, kFormat);
  for (const std::string& note : notes) text += fmt::format("# {}\n", printable(note, 500));
  if (!machine.files.empty()) text += '\n';
  for (const auto& [path, file] : machine.files) add_file(text, path, file);
  for (const auto& [path, device] : machine.devices) add_device(text, device);
  return text + '\n' + kEnd + '\n';
}

}  // namespace patchbay::machine
