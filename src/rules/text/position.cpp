#include "rules/text/position.h"

#include <string_view>

#include <fmt/format.h>

namespace patchbay::rules {
namespace {

/// The text of a source from a position to the end of its line. Empty if the position does not
/// exist.
std::string_view rest_of_line(const config::Position& at) {
  if (!at.source || at.line < 1 || at.column < 1) return {};
  std::string_view text = at.source->text;
  for (int line = 1; line < at.line; ++line) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  const auto column = static_cast<size_t>(at.column);
  return column <= text.size() ? text.substr(column - 1) : std::string_view{};
}

}  // namespace

config::Position position_in(const config::Located<std::string>& scalar, size_t offset) {
  std::string_view written = rest_of_line(scalar.at);
  size_t quote = 0;
  if (!written.empty() && (written.front() == '"' || written.front() == '\'')) quote = 1;
  written.remove_prefix(quote);
  config::Position at = scalar.at;
  if (written.starts_with(std::string_view(scalar.value).substr(0, offset + 1))) {
    at.column += static_cast<int>(quote + offset);
  }
  return at;
}

std::string location_text(const config::Position& at) {
  const std::string name = at.source ? at.source->name : "the configuration";
  return at.line > 0 ? fmt::format("{}:{}", name, at.line) : name;
}

}  // namespace patchbay::rules
