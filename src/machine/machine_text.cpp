#include "machine/machine_text.h"

#include <cstdint>

#include "base/text.h"

namespace patchbay::machine {
namespace {

constexpr std::string_view kLetters = "nt0\\";
constexpr std::string_view kCharacters{"\n\t\0\\", 4};

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

}  // namespace patchbay::machine
