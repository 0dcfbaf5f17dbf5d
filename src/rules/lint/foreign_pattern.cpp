#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/text.h"
#include "rules/lint/text_advice.h"
#include "rules/text/pattern_text.h"

namespace patchbay::rules {
namespace {

constexpr size_t kMaxAlternatives = 6;

/// A glob, and a copy in which quoted characters and variables are hidden, with the same offsets.
struct PatternText {
  std::string_view glob;
  std::string bare;
  PatternContext of;
};

using ForeignForm = std::optional<Advice> (*)(const PatternText& pattern);

std::string in_quotes(std::string_view text) { return fmt::format("\"{}\"", text); }

/// "write a list: ["a", "b"]".
std::string list_hint(const std::vector<std::string>& alternatives) {
  std::vector<std::string> shown;
  for (const std::string& alternative : alternatives) {
    if (!alternative.empty()) shown.push_back(in_quotes(alternative));
  }
  if (shown.size() > kMaxAlternatives) {
    shown.resize(kMaxAlternatives);
    shown.emplace_back("…");
  }
  return fmt::format("write a list: [{}]", join(shown, ", "));
}

/// The offset of a match in `bare`.
size_t offset_of(const PatternText& pattern, const re2::StringPiece& found) {
  return static_cast<size_t>(found.data() - pattern.bare.data());
}

std::optional<Advice> leading_not(const PatternText& pattern) {
  if (pattern.of == PatternContext::path || !pattern.bare.starts_with('!') ||
      pattern.bare.size() == 1) {
    return std::nullopt;
  }
  return Advice{.message = fmt::format("'{}' matches only text that begins with '!'", pattern.glob),
                .hint = fmt::format("to match everything else write {{not: {}}}",
                                    in_quotes(pattern.glob.substr(1)))};
}

/// The hint for a text with `^`, `$` or both.
std::string anchored_hint(std::string_view text, bool begin, bool end) {
  if (begin) text.remove_prefix(1);
  if (end) text.remove_suffix(1);
  static const re2::RE2 beyond_globs(R"(\.[*+]|\]\+|[()|\\])");
  const bool regex =
      re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), beyond_globs);
  const std::string_view any = regex ? ".*" : "*";
  const std::string whole = fmt::format("{}{}{}", begin || text.starts_with(any) ? "" : any, text,
                                        end || text.ends_with(any) ? "" : any);
  return regex ? fmt::format("write {{regex: '{}'}}", whole) : "write " + in_quotes(whole);
}

/// `^…` and `…$`.
std::optional<Advice> anchors(const PatternText& pattern) {
  if (pattern.of == PatternContext::path) return std::nullopt;
  const bool begin = pattern.bare.starts_with('^');
  const bool end = pattern.bare.ends_with('$') && pattern.bare.size() > 1;
  // Vendor texts can end in '$'.
  if (!begin && (!end || pattern.of != PatternContext::name)) return std::nullopt;
  return Advice{.offset = begin ? 0 : pattern.glob.size() - 1,
                .message = fmt::format(
                    "'{}' is not a regular expression: it matches only text that contains '{}'",
                    pattern.glob, begin ? '^' : '$'),
                .hint = anchored_hint(pattern.glob, begin, end)};
}

/// `{a,b}` and `{0..3}`, but not the `{"a": 1, …}` of JSON.
std::optional<Advice> braces(const PatternText& pattern) {
  static const re2::RE2 in_braces(R"re((\{[^{}\s":]*(?:,|\.\.)[^{}\s":]*\}))re");
  re2::StringPiece found;
  if (pattern.of == PatternContext::file ||
      !re2::RE2::PartialMatch(pattern.bare, in_braces, &found)) {
    return std::nullopt;
  }
  const size_t at = offset_of(pattern, found);
  const std::string_view inner = pattern.glob.substr(at + 1, found.size() - 2);
  std::vector<std::string> alternatives;
  for (const std::string_view alternative : split(inner, ',')) {
    alternatives.push_back(fmt::format("{}{}{}", pattern.glob.substr(0, at), alternative,
                                       pattern.glob.substr(at + found.size())));
  }
  return Advice{
      .offset = at,
      .message = fmt::format(
          "'{}' matches only text that contains these braces: they do not list alternatives",
          pattern.glob),
      .hint = alternatives.size() > 1 ? list_hint(alternatives)
                                      : "write [0-9] for one of several characters, or a list"};
}

/// `a|b`.
std::optional<Advice> bar(const PatternText& pattern) {
  static const re2::RE2 between_words(R"((\|)\S)");
  re2::StringPiece found;
  if (pattern.of == PatternContext::file ||
      !re2::RE2::PartialMatch(pattern.bare, between_words, &found)) {
    return std::nullopt;
  }
  const bool grouped = pattern.bare.find('(') != std::string::npos;
  std::vector<std::string> alternatives;
  for (const std::string_view alternative : split(pattern.glob, '|'))
    alternatives.emplace_back(alternative);
  return Advice{.offset = offset_of(pattern, found),
                .message = fmt::format(
                    "'{}' matches only text that contains '|': it does not separate alternatives",
                    pattern.glob),
                .hint = grouped ? fmt::format("write a list, or {{regex: '{}'}}", pattern.glob)
                                : list_hint(alternatives)};
}

/// `a,b`. Device tree names contain commas: soc:qcom,bcl.
std::optional<Advice> comma(const PatternText& pattern) {
  static const re2::RE2 of_names(R"((,)\s*[^\s])");
  static const re2::RE2 of_paths(R"((,)\s*/)");
  if (pattern.of != PatternContext::name && pattern.of != PatternContext::path) return std::nullopt;
  const bool of_path = pattern.of == PatternContext::path || pattern.glob.starts_with('/');
  re2::StringPiece found;
  if (!re2::RE2::PartialMatch(pattern.bare, of_path ? of_paths : of_names, &found) ||
      (!of_path && pattern.bare.find_first_of(":@") != std::string::npos)) {
    return std::nullopt;
  }
  std::vector<std::string> alternatives;
  for (const std::string_view alternative : split(pattern.glob, ',')) {
    alternatives.emplace_back(
        alternative.substr(std::min(alternative.find_first_not_of(' '), alternative.size())));
  }
  return Advice{.offset = offset_of(pattern, found),
                .message = fmt::format(
                    "'{}' matches only text that contains ',': it does not separate alternatives",
                    pattern.glob),
                .hint = list_hint(alternatives)};
}

/// `[0-9]+`, and any `+` at the end of a device name.
std::optional<Advice> plus(const PatternText& pattern) {
  static const re2::RE2 after_class(R"(\](\+))");
  static const re2::RE2 of_names(R"([\])](\+)|(\+)$)");
  re2::StringPiece found;
  re2::StringPiece at_end;
  const bool name = pattern.of == PatternContext::name;
  if (name ? !re2::RE2::PartialMatch(pattern.bare, of_names, &found, &at_end)
           : !re2::RE2::PartialMatch(pattern.bare, after_class, &found)) {
    return std::nullopt;
  }
  return Advice{
      .offset = offset_of(pattern, found.empty() ? at_end : found),
      .message = fmt::format(
          "'{}' matches only text that contains '+': it does not repeat anything", pattern.glob),
      .hint = pattern.of == PatternContext::path
                  ? "write '*' for any text; name: {regex: …} can restrict the paths that are found"
                  : fmt::format("write '*' for any text, or {{regex: '{}'}}", pattern.glob)};
}

/// `\d` and similar escapes, which match only the letter.
std::optional<Advice> escaped_letter(const PatternText& pattern) {
  for (size_t i = 0; i + 1 < pattern.glob.size(); ++i) {
    if (pattern.glob[i] != '\\') continue;
    const char letter = pattern.glob[++i];
    if (std::string_view("dDwWsSb").find(letter) == std::string_view::npos) continue;
    return Advice{.offset = i - 1,
                  .message = fmt::format(R"('\{0}' is the letter '{0}' here)", letter),
                  .hint =
                      "write [0-9] for a digit, '?' for any character, '*' for any text; regular "
                      "expressions need regex:"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Advice> foreign_pattern(std::string_view glob, PatternContext of) {
  const PatternText pattern{glob, without_quoted(glob), of};
  constexpr std::array<ForeignForm, 7> kChecks{leading_not, anchors, braces,        bar,
                                               comma,       plus,    escaped_letter};
  for (const ForeignForm check : kChecks) {
    auto advice = check(pattern);
    if (!advice) continue;
    if (glob[advice->offset] != '\\') {
      advice->hint += fmt::format("; '\\{}' is the character itself", glob[advice->offset]);
    }
    return advice;
  }
  return std::nullopt;
}

}  // namespace patchbay::rules
