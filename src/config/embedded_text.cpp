#include "config/embedded_text.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace patchbay::config {
namespace {

using TextLines = std::vector<std::string_view>;

std::string_view without_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool is_empty_line(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

/// A document marker or directive, which has no such meaning when it is indented.
bool is_marker(std::string_view line) {
  return line.starts_with("---") || line.starts_with("...") || line.starts_with('%');
}

/// The lines of the text without the empty lines at its end.
TextLines lines_of(const std::string& text) {
  TextLines lines = split(text, '\n');
  while (!lines.empty() && is_empty_line(lines.back())) lines.pop_back();
  return lines;
}

/// The indentation of the outer file's line relative to the line of the text; nullopt if they
/// differ.
std::optional<size_t> indentation(std::string_view outer, std::string_view line) {
  outer = without_return(outer);
  if (!outer.ends_with(line)) return std::nullopt;
  const std::string_view before = outer.substr(0, outer.size() - line.size());
  if (before.find_first_not_of(' ') != std::string_view::npos) return std::nullopt;
  return before.size();
}

/// The text as written in the outer file after its first `from` lines; nullopt if it differs.
std::optional<std::string> aligned_text(std::string_view outer, size_t from,
                                        const TextLines& lines) {
  const TextLines outer_lines = split(outer, '\n');
  if (lines.empty() || from + lines.size() > outer_lines.size()) return std::nullopt;
  std::string text(from, '\n');
  std::optional<size_t> indent;
  bool begun = false;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = without_return(lines[i]);
    const bool mark =
        !begun && trim_end(line) == "---";  // It can begin the text, and has no meaning.
    begun = begun || !is_empty_line(line);
    const std::string_view written = outer_lines[from + i];
    text += std::string(mark ? std::string_view{} : written) + '\n';
    if (mark || (is_empty_line(line) && is_empty_line(written))) continue;
    const auto found = indentation(written, line);
    if (is_marker(line) || !found || (indent && indent != found)) return std::nullopt;
    indent = found;
  }
  return text;
}

}  // namespace

std::shared_ptr<const Source> embedded_source(const std::shared_ptr<const Source>& outer,
                                              const YamlNode& text, const std::string& name) {
  const auto from = static_cast<size_t>(std::max(text.at.line, 0));
  if (auto aligned = aligned_text(outer->text, from, lines_of(text.text))) {
    return std::make_shared<const Source>(Source{outer->name, *std::move(aligned)});
  }
  return std::make_shared<const Source>(Source{name, text.text});
}

}  // namespace patchbay::config
