#include "rules/text/pattern_text.h"

#include <algorithm>

namespace patchbay::rules {
namespace {

/// The length of a variable at the beginning of the text. 0 if there is none.
size_t variable_length(std::string_view text) {
  if (!text.starts_with("$(")) return 0;
  size_t depth = 0;
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i + 1;
  }
  return text.size();
}

/// The length of a class [ ] at the beginning of the glob. 0 if it is not closed.
size_t class_length(std::string_view glob) {
  size_t i = 1;
  if (i < glob.size() && (glob[i] == '!' || glob[i] == '^')) ++i;
  for (const size_t first = i; i < glob.size(); ++i) {
    if (glob[i] == '\\') {
      ++i;
    } else if (glob[i] == ']' && i > first) {
      return i + 1;
    }
  }
  return 0;
}

void hide(std::string& text, size_t at, size_t length) {
  std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(at), length, kHidden);
}

}  // namespace

std::string without_variables(std::string_view text) {
  std::string out(text);
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t length = variable_length(text.substr(i));
    if (length == 0) continue;
    hide(out, i, length);
    i += length - 1;
  }
  return out;
}

std::string without_quoted(std::string_view glob) {
  std::string out = without_variables(glob);
  // After an unclosed class, no later class is closed.
  bool closed = true;
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i] == '\\') {
      hide(out, i, std::min<size_t>(2, out.size() - i));
      ++i;
    } else if (out[i] == '[' && closed) {
      const size_t length = class_length(std::string_view(out).substr(i));
      closed = length > 0;
      if (!closed) continue;
      hide(out, i + 1, length - 2);
      i += length - 1;
    }
  }
  return out;
}

}  // namespace patchbay::rules
