#include "config/yaml_text.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "config/spec_reader.h"

namespace patchbay::config {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";
/// A bound for the lists, mappings and further items in brackets. A valid configuration has fewer.
constexpr int kMaxBrackets = 4 * kMaxNodes;

struct Problem {
  std::string message;
  std::string hint;
};

constexpr std::string_view kSaveAsUtf8 = "save the file as UTF-8 without a byte order mark";

/// The problem of the file as a whole.
Problem problem_of_file(std::string_view text) {
  if (text.size() > kMaxFileBytes) {
    return {"the file is larger than 1 MiB", "split it into several files of one directory"};
  }
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    return {"the file is UTF-16, not UTF-8", std::string(kSaveAsUtf8)};
  }
  if (text.starts_with("\xEF\xBB\xBF")) {
    return {"the file begins with a byte order mark", std::string(kSaveAsUtf8)};
  }
  if (std::ranges::count_if(text, [](char c) { return c == '[' || c == '{' || c == ','; }) >
      kMaxBrackets) {
    return {fmt::format("the file contains more than {} brackets and commas", kMaxBrackets),
            "split it into several files of one directory"};
  }
  return {};
}

Problem control_problem(unsigned char byte) {
  if (byte == '\r')
    return {"a carriage return that does not end a line", "end lines with a line feed"};
  return {fmt::format("the control character 0x{:02x} is not allowed", byte),
          R"(remove it; in double quotes an escape such as "\n" or "\x1b" can stand for one)"};
}

/// The problem of the first character of `text`, and its length.
std::pair<Problem, size_t> problem_of_character(std::string_view text) {
  const auto byte = static_cast<unsigned char>(text[0]);
  const bool line_end = byte == '\n' || text.starts_with("\r\n");
  if ((byte < 0x20 && byte != '\t' && !line_end) || byte == 0x7F) return {control_problem(byte), 1};
  size_t length = 1;
  while (length < std::min<size_t>(4, text.size()) && !is_utf8(text.substr(0, length))) ++length;
  if (!is_utf8(text.substr(0, length))) {
    return {{fmt::format("the byte 0x{:02x} is not UTF-8", byte),
             "save the file as UTF-8; it may have another encoding, or be binary"},
            1};
  }
  const auto second = static_cast<unsigned char>(length > 1 ? text[1] : 0);
  if (byte == 0xC2 && second < 0xA0) {
    return {{fmt::format("the control character U+{:04X} is not allowed", second), "remove it"},
            length};
  }
  return {{}, length};
}

std::string_view line_at(std::string_view text, size_t offset) {
  const size_t before = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  const size_t first = before == std::string_view::npos ? 0 : before + 1;
  return text.substr(first, text.find('\n', first) - first);
}

/// The offset of the next byte that is not a space and not in a comment.
size_t skip_spaces(std::string_view text, size_t offset) {
  offset = std::min(text.find_first_not_of(kSpaces, offset), text.size());
  while (offset < text.size() && text[offset] == '#') {
    offset = text.find_first_not_of(kSpaces, std::min(text.find('\n', offset), text.size()));
    offset = std::min(offset, text.size());
  }
  return offset;
}

/// The last dash of a line that contains only list items without a value; npos for other lines.
size_t last_dash(std::string_view line) {
  size_t dash = std::string_view::npos;
  for (size_t i = 0; i < line.size() && line[i] != '#'; ++i) {
    if (line[i] == '-') {
      dash = i;
    } else if (!kSpaces.contains(line[i])) {
      return std::string_view::npos;
    }
  }
  return dash;
}

}  // namespace

bool check_bytes(const std::shared_ptr<const Source>& source, Diagnostics& diagnostics) {
  if (Problem problem = problem_of_file(source->text); !problem.message.empty()) {
    diagnostics.error({source, 1, 1}, std::move(problem.message), std::move(problem.hint));
    return false;
  }
  const std::string_view text = source->text;
  if (const size_t nul = text.find('\0'); nul != std::string_view::npos) {
    diagnostics.error(position_at(source, nul), "the file contains a NUL byte",
                      "check that the file is text in UTF-8, not UTF-16");
    return false;
  }
  const auto is_plain = [](char c) { return (c >= ' ' && c <= '~') || c == '\n' || c == '\t'; };
  for (size_t at = 0; at < text.size();) {
    if (is_plain(text[at])) {
      ++at;
      continue;
    }
    auto [problem, length] = problem_of_character(text.substr(at));
    if (!problem.message.empty()) {
      diagnostics.error(position_at(source, at), std::move(problem.message),
                        std::move(problem.hint));
      return false;
    }
    at += length;
  }
  return true;
}

Position position_at(const std::shared_ptr<const Source>& source, size_t offset) {
  const std::string_view before = std::string_view(source->text).substr(0, offset);
  const size_t last_break = before.rfind('\n');
  const size_t line_start = last_break == std::string_view::npos ? 0 : last_break + 1;
  return {source, static_cast<int>(std::ranges::count(before, '\n')) + 1,
          static_cast<int>(offset - line_start) + 1};
}

Position position_before(const Location& location, size_t offset) {
  const std::string_view text = location.at.source->text;
  const auto breaks = std::ranges::count(text.substr(offset, location.offset - offset), '\n');
  return {location.at.source, location.at.line - static_cast<int>(breaks),
          static_cast<int>(line_before(text, offset).size()) + 1};
}

NodeProperties properties_at(std::string_view text, size_t offset) {
  NodeProperties found{.value = offset};
  while (found.value < text.size() && (text[found.value] == '&' || text[found.value] == '!')) {
    const size_t end = std::min(text.find_first_of(" \t\r\n,]}", found.value), text.size());
    if (text[found.value] == '!') found.tag = text.substr(found.value, end - found.value);
    found.value = skip_spaces(text, end);
  }
  return found;
}

size_t closing_quote(std::string_view text, size_t offset) {
  const char quote = text[offset];
  for (size_t i = offset + 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      if (quote == '"' || i + 1 == text.size() || text[i + 1] != quote) return i;
      ++i;  // '' means one '.
    }
  }
  return std::string_view::npos;
}

std::string_view null_word_at(std::string_view text, size_t offset, bool as_key) {
  constexpr std::array<std::string_view, 4> kWords{"~", "null", "Null", "NULL"};
  const std::string_view ends = as_key ? " \t\r\n:" : " \t\r\n,]}";
  const size_t end = std::min(text.find_first_of(ends, offset), text.size());
  const std::string_view word = text.substr(offset, end - offset);
  return std::ranges::find(kWords, word) == kWords.end() ? std::string_view{} : word;
}

size_t empty_item_before(std::string_view text, size_t offset) {
  for (size_t end = std::min(offset, text.size());;) {
    const std::string_view line = line_at(text, end);
    const auto start = static_cast<size_t>(line.data() - text.data());
    const std::string_view piece = text.substr(start, end - start);
    if (const size_t dash = last_dash(piece); dash != std::string_view::npos) return start + dash;
    const size_t first = piece.find_first_not_of(kSpaces);
    const bool blank = first == std::string_view::npos || piece[first] == '#';
    if (!blank || start == 0) return offset;
    end = start - 1;
  }
}

size_t indenting_tab(std::string_view text, size_t offset) {
  const std::string_view line = line_at(text, offset);
  const size_t tab = line.substr(0, line.find_first_not_of(kSpaces)).find('\t');
  if (tab == std::string_view::npos) return tab;
  return static_cast<size_t>(line.data() - text.data()) + tab;
}

std::string_view line_before(std::string_view text, size_t offset) {
  const std::string_view line = line_at(text, offset);
  return line.substr(0, offset - static_cast<size_t>(line.data() - text.data()));
}

size_t directive_before(std::string_view text, size_t offset) {
  for (size_t at = 0; at < std::min(offset, text.size());) {
    if (text[at] == '%') return at;
    at = std::min(text.find('\n', at), text.size() - 1) + 1;
  }
  return std::string_view::npos;
}

}  // namespace patchbay::config
