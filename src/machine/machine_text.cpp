#include "machine/machine_text.h"

#include <algorithm>

#include "base/text.h"

namespace patchbay::machine {
namespace {

constexpr std::string_view kLetters = "nt0\\";
constexpr std::string_view kCharacters{"\n\t\0\\", 4};

}  // namespace

bool is_text(std::string_view value) {
  const auto is_control = [](char c) {
    return (c >= '\0' && c < ' ' && c != '\n' && c != '\t') || c == '\x7f';
  };
  return is_utf8(value) && std::ranges::none_of(value, is_control);
}

bool is_writable(std::string_view path) {
  return is_utf8(path) && !has_control_character(path) && !path.contains('=');
}

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
