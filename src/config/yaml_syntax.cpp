#include "config/yaml_syntax.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "config/syntax_cause.h"

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
constexpr std::string_view kQuoteQuestionMark =
    R"(put the whole text in quotes, such as "ttyUSB?")";
constexpr std::string_view kBadTag = "'!' begins a YAML tag, and this is not a tag";
constexpr std::string_view kDirective = "a YAML directive is not allowed";
constexpr std::string_view kRemoveLine = "remove the line that begins with '%'";
constexpr std::string_view kBrackets =
    "write ',' between its items and '}' or ']' after the last; put text that contains any of "
    "[]{},:? in quotes";
constexpr std::string_view kIndent = "check that this line is indented as the lines above it";

const std::array kWordings = {
    Wording{YAML::ErrorMsg::UNKNOWN_ANCHOR, "'*' begins an alias, and no anchor has this name",
            kQuotePattern},
    Wording{YAML::ErrorMsg::ALIAS_NOT_FOUND, "'*' begins an alias, whose name is missing",
            kQuotePattern},
    Wording{YAML::ErrorMsg::CHAR_IN_ALIAS, "'*' begins an alias, and this cannot be in its name",
            kQuotePattern},
    Wording{YAML::ErrorMsg::ANCHOR_NOT_FOUND, "'&' begins an anchor, whose name is missing",
            kQuotePattern},
    Wording{YAML::ErrorMsg::CHAR_IN_ANCHOR, "'&' begins an anchor, and this cannot be in its name",
            kQuotePattern},
    Wording{YAML::ErrorMsg::UNKNOWN_TOKEN, "text cannot begin with this character", kQuotePattern},
    Wording{YAML::ErrorMsg::MAP_VALUE, "unexpected ':'",
            "check that this line is not indented too far, and that ': ' follows the key in the "
            "line above"},
    Wording{YAML::ErrorMsg::MAP_KEY, "unexpected key", kIndent},
    Wording{YAML::ErrorMsg::BLOCK_ENTRY, "unexpected '-'",
            "a list begins on a line of its own; a text that begins with '- ' needs quotes"},
    Wording{YAML::ErrorMsg::FLOW_END, "a closing bracket without an open one",
            "check for an open bracket of the other kind; otherwise remove this one, or put the "
            "text in quotes"},
    Wording{YAML::ErrorMsg::END_OF_MAP, "expected a key of the mapping above", kIndent},
    Wording{YAML::ErrorMsg::END_OF_SEQ, "expected '- ' and an item of the list above", kIndent},
    Wording{YAML::ErrorMsg::TAB_IN_INDENTATION, "a tab in the indentation", "indent with spaces"},
    Wording{YAML::ErrorMsg::INVALID_ESCAPE, "unknown escape in double quotes",
            R"(write \\ for a backslash, or use single quotes, which leave it alone)"},
    Wording{YAML::ErrorMsg::INVALID_HEX, "an escape with a bad hexadecimal number",
            R"(write \\ for a backslash, or use single quotes, which leave it alone)"},
    Wording{YAML::ErrorMsg::INVALID_UNICODE, "an escape that is not a Unicode character",
            R"(write \\ for a backslash, or use single quotes, which leave it alone)"},
    Wording{YAML::ErrorMsg::CHAR_IN_BLOCK, "text after '|' or '>', which begins a block of lines",
            "the lines follow below it, indented; a text that begins with '|' or '>' needs quotes"},
    Wording{YAML::ErrorMsg::ZERO_INDENT_IN_BLOCK, "a block of lines cannot have the indentation 0",
            "remove the number after '|' or '>'"},
    Wording{YAML::ErrorMsg::DOC_IN_SCALAR, "the document ends inside a quoted text",
            "add the missing closing quote"},
    Wording{YAML::ErrorMsg::EOF_IN_SCALAR, "the file ends inside a quoted text",
            "add the missing closing quote"},
    Wording{YAML::ErrorMsg::CHAR_IN_SCALAR, "this character cannot be in a text without quotes",
            kQuotePattern},
    Wording{YAML::ErrorMsg::MULTIPLE_ANCHORS, "a second anchor ('&') of one value", kQuotePattern},
    Wording{YAML::ErrorMsg::MULTIPLE_TAGS, "a second tag ('!') of one value", kQuotePattern},
    Wording{YAML::ErrorMsg::ALIAS_CONTENT, "an alias ('*') with an anchor or a tag of its own",
            "it replaces a whole value; a text that begins with '*' needs quotes"},
    Wording{YAML::ErrorMsg::CHAR_IN_TAG_HANDLE, kBadTag, kQuotePattern},
    Wording{YAML::ErrorMsg::TAG_WITH_NO_SUFFIX, kBadTag, kQuotePattern},
    Wording{YAML::ErrorMsg::END_OF_VERBATIM_TAG, kBadTag, kQuotePattern},
    Wording{YAML::ErrorMsg::YAML_DIRECTIVE_ARGS, kDirective, kRemoveLine},
    Wording{YAML::ErrorMsg::YAML_VERSION, kDirective, kRemoveLine},
    Wording{YAML::ErrorMsg::YAML_MAJOR_VERSION, kDirective, kRemoveLine},
    Wording{YAML::ErrorMsg::REPEATED_YAML_DIRECTIVE, kDirective, kRemoveLine},
    Wording{YAML::ErrorMsg::TAG_DIRECTIVE_ARGS, kDirective, kRemoveLine},
    Wording{YAML::ErrorMsg::REPEATED_TAG_DIRECTIVE, kDirective, kRemoveLine},
    Wording{YAML::ErrorMsg::END_OF_MAP_FLOW, "a mapping in brackets is not closed", kBrackets},
    Wording{YAML::ErrorMsg::END_OF_SEQ_FLOW, "a list in brackets is not closed", kBrackets},
};

/// The wording for a message of yaml-cpp. A message of another source has a general one.
Wording wording_of(const std::string& theirs) {
  for (const Wording& wording : kWordings) {
    if (theirs.starts_with(wording.theirs)) return wording;
  }
  return {theirs, "the file is not YAML from here on", kIndent};
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

/// The wording depends on the text at this position and before it in the line.
Wording wording_in_line(const std::string& theirs, std::string_view before, bool question_mark) {
  const std::string_view trimmed = trim_end(before);
  const bool after_quote = trimmed.ends_with('"') || trimmed.ends_with('\'');
  if (after_quote &&
      (theirs == YAML::ErrorMsg::END_OF_MAP || theirs == YAML::ErrorMsg::END_OF_SEQ)) {
    return {theirs, "unexpected text after a closing quote",
            R"(a quote inside is written '' in single quotes and \" in double quotes)"};
  }
  const bool after_bracket = trimmed.ends_with(']') || trimmed.ends_with('}');
  if (after_bracket &&
      (theirs == YAML::ErrorMsg::END_OF_MAP || theirs == YAML::ErrorMsg::END_OF_SEQ)) {
    return {theirs, "unexpected text after a closing bracket",
            "a text that begins with '[' or '{' needs quotes"};
  }
  if (theirs == YAML::ErrorMsg::MAP_VALUE && before.contains(": ")) {
    return {theirs, "a second ':' in one line", "a text that contains ': ' needs quotes"};
  }
  // Inside brackets, the parser does not accept '?' in a text.
  if (question_mark && theirs == YAML::ErrorMsg::UNKNOWN_TOKEN) {
    return {theirs, "a '?' between brackets needs quotes", kQuoteQuestionMark};
  }
  if (question_mark && theirs == YAML::ErrorMsg::MAP_KEY) {
    return {theirs, "'?' begins a key here", kQuoteQuestionMark};
  }
  return wording_of(theirs);
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
  if (const auto cause = find_cause_before(source->text, location.offset)) {
    diagnostics.error(position_at(source, cause->offset), cause->message, cause->hint);
    return;
  }
  if (report_unclosed_quote(location, source, diagnostics)) return;
  if (report_open_bracket(exception, builder, diagnostics)) return;
  const size_t tab = indenting_tab(source->text, location.offset);
  if (tab != std::string::npos) {
    diagnostics.error(position_at(source, tab), "a tab in the indentation", "indent with spaces");
    return;
  }
  const bool question_mark =
      std::string_view(source->text).substr(location.offset).starts_with('?');
  const Wording wording =
      wording_in_line(exception.msg, line_before(source->text, location.offset), question_mark);
  std::string hint(wording.hint);
  if (const auto quote = builder.last_long_quote()) {
    hint = fmt::format(
        "the quoted text that begins in line {} spans several lines: add the missing closing quote",
        quote->line);
  }
  diagnostics.error(location.at, std::string(wording.message), std::move(hint));
}

}  // namespace patchbay::config
