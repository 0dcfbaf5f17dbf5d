#include "config/syntax_cause.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "base/text.h"
#include "config/yaml_text.h"

namespace patchbay::config {
namespace {

bool is_plain(char c) { return static_cast<unsigned char>(c) < 0x80; }

/// Displayed as a space, or not displayed.
bool is_lookalike_space(uint32_t code) {
  return code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200D) || code == 0x202F ||
         code == 0x205F || code == 0x2060 || code == 0x3000 || code == 0xFEFF;
}

/// The quotes that word processors insert for " and '.
bool is_lookalike_quote(uint32_t code) { return code >= 0x2018 && code <= 0x201F; }

size_t end_of_line(std::string_view text, size_t offset) {
  return std::min(text.find('\n', std::min(offset, text.size())), text.size());
}

/// Whether a value can begin after this text.
bool begins_value(std::string_view before) {
  const std::string_view trimmed = trim_end(before);
  return trimmed.empty() || std::string_view("-:,[{").contains(trimmed.back());
}

/// Whether a value can end before this text.
bool ends_value(std::string_view after) {
  const size_t first = after.find_first_not_of(' ');
  return first == std::string_view::npos || std::string_view(",]}:#").contains(after[first]);
}

/// Whether a text in the line of `offset`, which is its opening quote, has typographic quotes
/// around it. A text that continues after them, such as “Lab” bench, can be intended.
bool has_lookalike_quotes(std::string_view text, size_t offset) {
  if (!begins_value(line_before(text, offset))) return false;
  std::string_view rest = text.substr(offset, end_of_line(text, offset) - offset);
  rest.remove_prefix(first_character(rest).length);
  while (!rest.empty()) {
    const auto [length, code] = first_character(rest);
    rest.remove_prefix(std::max<size_t>(length, 1));
    if (is_lookalike_quote(code)) return ends_value(rest);
  }
  return false;
}

/// The beginning of a comment in the line of `offset`, before `offset`.
bool in_comment(std::string_view text, size_t offset) {
  const std::string_view before = line_before(text, offset);
  return before.starts_with('#') || before.contains(" #");
}

std::optional<SyntaxCause> action_before(std::string_view text, size_t offset) {
  const std::string_view head = text.substr(0, end_of_line(text, offset));
  for (size_t at = head.find("{{"); at != std::string_view::npos; at = head.find("{{", at + 2)) {
    if (begins_value(line_before(text, at)) && !in_comment(text, at)) return template_action(at);
  }
  return std::nullopt;
}

/// The shell's ${X} inside brackets, with a '{' that begins a YAML mapping.
std::optional<SyntaxCause> braces_before(std::string_view text, size_t offset) {
  const std::string_view head = text.substr(0, std::min(offset + 1, text.size()));
  const size_t at = head.rfind("${");
  if (at == std::string_view::npos || head.substr(at).contains('\n')) return std::nullopt;
  const size_t end = std::min(text.find('}', at), end_of_line(text, at));
  const std::string_view name = text.substr(at + 2, end - at - 2);
  const bool node = name == "NODE_NAME" || name == "HOSTNAME";
  return SyntaxCause{
      at,
      fmt::format("'${{{}}}' is not a variable, and its '{{' begins a mapping",
                  printable(name, kMaxShown)),
      fmt::format("{}; other text with braces needs quotes",
                  node ? "write the node's name as $(node)" : "write a variable as $(name)")};
}

}  // namespace

SyntaxCause template_action(size_t offset) {
  return {offset, "an unrendered template: '{{' begins a Helm action",
          "render it first: helm template … | patchbay validate -; a text that begins with '{' "
          "needs quotes"};
}

std::optional<SyntaxCause> find_lookalike(std::string_view text, size_t begin, size_t end) {
  for (size_t at = begin; at < std::min(end, text.size());) {
    if (is_plain(text[at])) {
      ++at;
      continue;
    }
    const auto [length, code] = first_character(text.substr(at));
    if (is_lookalike_space(code)) {
      return SyntaxCause{
          at,
          code == 0xA0
              ? "a no-break space (U+00A0), which is not a space in YAML"
              : fmt::format("the invisible character U+{:04X}, which is not a space in YAML", code),
          "replace it with a space; text that is copied from a web page or document has such "
          "characters"};
    }
    if (is_lookalike_quote(code) && has_lookalike_quotes(text, at)) {
      return SyntaxCause{at, "a typographic quote, which is not a quote in YAML",
                         R"(write " or '; put a text that really begins with it in quotes)"};
    }
    at += std::max<size_t>(length, 1);
  }
  return std::nullopt;
}

std::optional<SyntaxCause> find_cause_before(std::string_view text, size_t offset) {
  offset = std::min(offset, text.size());
  if (auto cause = action_before(text, offset)) return cause;
  if (auto cause = braces_before(text, offset)) return cause;
  // Also searches the line above, because the parser can stop at the text after it.
  const size_t line = offset - line_before(text, offset).size();
  const size_t above = line == 0 ? 0 : line - 1 - line_before(text, line - 1).size();
  return find_lookalike(text, above, end_of_line(text, offset));
}

std::optional<size_t> unclosed_quote(std::string_view text) {
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '#' && (at == 0 || std::string_view(" \t\n").contains(text[at - 1]))) {
      at = end_of_line(text, at);
    } else if ((c == '"' || c == '\'') && begins_value(line_before(text, at))) {
      const size_t end = closing_quote(text, at);
      if (end == std::string_view::npos) return at;
      at = end;
    }
  }
  return std::nullopt;
}

}  // namespace patchbay::config
