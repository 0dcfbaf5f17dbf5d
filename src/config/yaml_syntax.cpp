#include "config/yaml_syntax.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::config {
namespace {

/// A message of yaml-cpp, which can have details appended, and our wording.
struct Wording {
  std::string_view theirs;
  std::string_view message;
  std::string_view hint;
};

constexpr std::string_view kQuotePattern =
    "put a pattern or text that begins with any of *&[{!|>@%` in quotes";
constexpr std::string_view kQuoteOrBracket =
    "text with any of *&[]{}!|>@%?: needs quotes; otherwise check brackets, quotes and indentation";
constexpr std::string_view kIndent = "check that this line is indented as the lines above it";

const std::array kWordings = {
    Wording{YAML::ErrorMsg::UNKNOWN_ANCHOR, "'*' begins an alias, and no anchor has this name",
            kQuotePattern},
    Wording{YAML::ErrorMsg::ALIAS_NOT_FOUND, "'*' begins an alias, whose name is missing",
            kQuotePattern},
    Wording{YAML::ErrorMsg::CHAR_IN_ALIAS, "'*' begins an alias, and this cannot be in its name",
            kQuotePattern},
    Wording{YAML::ErrorMsg::UNKNOWN_TOKEN, "text cannot begin with this character", kQuotePattern},
    Wording{YAML::ErrorMsg::MAP_VALUE, "unexpected ':'",
            "a text that contains ': ' needs quotes; otherwise check the indentation"},
    Wording{YAML::ErrorMsg::BLOCK_ENTRY, "unexpected '-'",
            "a list begins on a line of its own; a text that begins with '- ' needs quotes"},
    Wording{YAML::ErrorMsg::END_OF_MAP, "expected a key of the mapping above", kIndent},
    Wording{YAML::ErrorMsg::END_OF_SEQ, "expected '- ' and an item of the list above", kIndent},
    Wording{YAML::ErrorMsg::TAB_IN_INDENTATION, "a tab in the indentation", "indent with spaces"},
    Wording{YAML::ErrorMsg::INVALID_ESCAPE, "unknown escape in double quotes",
            R"(write \\ for a backslash, or use single quotes, which leave it alone)"},
};

/// The wording for a message of yaml-cpp. The others are printed as they are.
Wording wording_of(const std::string& theirs) {
  for (const Wording& wording : kWordings) {
    if (theirs.starts_with(wording.theirs)) return wording;
  }
  return {theirs, theirs, kQuoteOrBracket};
}

/// The parser can report an open bracket anywhere after it. This reports the bracket's position.
bool report_open_bracket(const YAML::Exception& exception, const YamlBuilder& builder,
                         Diagnostics& diagnostics) {
  const bool list = exception.msg == YAML::ErrorMsg::END_OF_SEQ_FLOW;
  if (!list && exception.msg != YAML::ErrorMsg::END_OF_MAP_FLOW) return false;
  const auto at = builder.open_bracket(list ? YamlNode::Kind::sequence : YamlNode::Kind::mapping);
  if (!at) return false;
  diagnostics.error(
      *at, fmt::format("this '{}' is not closed", list ? '[' : '{'),
      fmt::format(
          "write ',' between its items and '{}' after the last; put text that contains any of "
          "[]{{}},:? in quotes",
          list ? ']' : '}'));
  return true;
}

/// Whether a value can begin after this text.
bool begins_value(std::string_view before) {
  const std::string_view trimmed = trim_end(before);
  return trimmed.empty() || std::string_view("-:,[{").contains(trimmed.back());
}

/// The opening quote of a text that is not closed.
std::optional<size_t> unclosed_quote(std::string_view text) {
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '#' && (at == 0 || std::string_view(" \t\n").contains(text[at - 1]))) {
      at = std::min(text.find('\n', at), text.size());
    } else if ((c == '"' || c == '\'') && begins_value(line_before(text, at))) {
      const size_t end = closing_quote(text, at);
      if (end == std::string_view::npos) return at;
      at = end;
    }
  }
  return std::nullopt;
}

/// The parser stops at the end of the file. This reports the quote's position.
bool report_unclosed_quote(const Location& location, const std::shared_ptr<const Source>& source,
                           Diagnostics& diagnostics) {
  if (location.offset < source->text.size()) return false;
  const auto quote = unclosed_quote(source->text);
  if (!quote) return false;
  diagnostics.error(position_at(source, *quote),
                    fmt::format("the closing quote ({}) is missing", source->text[*quote]),
                    std::string(kClosingQuote));
  return true;
}

}  // namespace

Location location_of(const std::shared_ptr<const Source>& source, const YAML::Mark& mark) {
  if (mark.is_null()) return {.at = {source, 1, 1}};
  const auto offset = std::min(static_cast<size_t>(mark.pos), source->text.size());
  return {.at = {source, mark.line + 1, mark.column + 1}, .offset = offset};
}

void report_syntax(const YAML::Exception& exception, const std::shared_ptr<const Source>& source,
                   const YamlBuilder& builder, Diagnostics& diagnostics) {
  const Location location = location_of(source, exception.mark);
  if (report_unclosed_quote(location, source, diagnostics)) return;
  if (report_open_bracket(exception, builder, diagnostics)) return;
  const size_t tab = indenting_tab(source->text, location.offset);
  if (tab != std::string::npos) {
    diagnostics.error(position_at(source, tab), "a tab in the indentation", "indent with spaces");
    return;
  }
  const Wording wording = wording_of(exception.msg);
  std::string hint(wording.hint);
  if (const auto quote = builder.last_long_quote()) {
    hint = fmt::format(
        "the quoted text that begins in line {} spans several lines: add the missing closing quote",
        quote->line);
  }
  diagnostics.error(location.at, std::string(wording.message), std::move(hint));
}

}  // namespace patchbay::config
