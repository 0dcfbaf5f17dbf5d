#include <string>

#include <fmt/format.h>
#include <re2/re2.h>

#include "rules/lint/text_advice.h"

namespace patchbay::rules {
namespace {

/// Matches any text, or any text without a few characters: .* .+ \S* [^/]+ …
constexpr const char* kAnything = R"((?:\.|\\[SWDC]|\[\^[^\]]*\])[*+]\??)";

struct Ends {
  bool begin = false;
  bool end = false;
};

/// The ends at which the expression is anchored. An escaped `$` is not an anchor.
Ends anchored(const std::string& regex) {
  static const re2::RE2 begin(R"((?s)(?:\((?:\?(?:P<\w+>|[a-zA-Z]*:|[a-zA-Z]+\)))?)*(?:\^|\\A).*)");
  static const re2::RE2 end(R"((?s)(?:[^\\]|\\.)*?(?:\$|\\z)\)*)");
  return {re2::RE2::FullMatch(regex, begin), re2::RE2::FullMatch(regex, end)};
}

/// The ends at which the expression matches any text.
Ends open(const std::string& regex) {
  static const std::string group = R"((?:\((?:\?(?:P<\w+>|[a-zA-Z]*:|[a-zA-Z]+\)))?)*)";
  static const re2::RE2 begin("(?s)" + group + kAnything + ".*");
  static const re2::RE2 end(std::string(R"((?s)(?:[^\\]|\\.)*?)") + kAnything + R"(\)*)");
  return {re2::RE2::FullMatch(regex, begin), re2::RE2::FullMatch(regex, end)};
}

/// With (?m), `^` and `$` match at lines.
bool is_multiline(const std::string& regex) {
  static const re2::RE2 multiline(R"(\(\?[a-zA-Z]*m)");
  return re2::RE2::PartialMatch(regex, multiline);
}

}  // namespace

std::optional<Advice> half_anchored(std::string_view regex) {
  const std::string text(regex);
  const Ends ends = anchored(text);
  const Ends anything = open(text);
  const bool other_end_open = ends.begin ? anything.end : anything.begin;
  if (ends.begin == ends.end || other_end_open || is_multiline(text)) return std::nullopt;
  if (ends.begin) {
    return Advice{.message = fmt::format("'{}' matches no value with text after it: whole values "
                                         "are matched, with or without '^'",
                                         regex),
                  .hint = fmt::format(
                      "if other text can follow write '{}.*', otherwise remove the '^'", regex)};
  }
  return Advice{.message = fmt::format("'{}' matches no value with text before it: whole values "
                                       "are matched, with or without '$'",
                                       regex),
                .hint = fmt::format(
                    "if other text can precede it write '.*{}', otherwise remove the '$'", regex)};
}

}  // namespace patchbay::rules
