#include "machine/machine_text.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::machine {
namespace {

constexpr std::string_view kLetters = "nt0\\";
constexpr std::string_view kCharacters{"\n\t\0\\", 4};

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

bool is_line(std::string_view text) { return printable(text, SIZE_MAX) == text; }

bool is_text(std::string_view value) {
  std::string line(value);
  std::erase_if(line, [](char c) { return c == '\n' || c == '\t'; });
  return is_line(line);
}

bool is_writable(std::string_view path) { return is_line(path) && !path.contains('='); }

std::string escaped(std::string_view value) {
  std::string text;
  for (size_t i = 0; i < value.size(); ++i) {
    const size_t found = kCharacters.find(value[i]);
    // A backslash needs no escape if it cannot be mistaken for one: udev writes "\x20".
    const bool is_plain = found == std::string_view::npos ||
                          (value[i] == '\\' && i + 1 < value.size() &&
                           !kLetters.contains(value[i + 1]) && !kCharacters.contains(value[i + 1]));
    if (is_plain) {
      text += value[i];
    } else {
      text += '\\';
      text += kLetters[found];
    }
  }
  return text;
}

std::string unescaped(std::string_view text) {
  std::string value;
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t found = text[i] == '\\' && i + 1 < text.size() ? kLetters.find(text[i + 1])
                                                                : std::string_view::npos;
    if (found == std::string_view::npos) {
      value += text[i];
    } else {
      value += kCharacters[found];
      ++i;
    }
  }
  return value;
}

std::string write_machine(const Machine& machine, const std::vector<std::string>& notes) {
  std::string text = fmt::format("{}{}\n", kHeader, kFormat);
  for (const std::string& note : notes) text += fmt::format("# {}\n", printable(note, 500));
  if (!machine.files.empty()) text += '\n';
  for (const auto& [path, file] : machine.files) add_file(text, path, file);
  for (const auto& [path, device] : machine.devices) add_device(text, device);
  return text + '\n' + kEnd + '\n';
}

}  // namespace patchbay::machine
