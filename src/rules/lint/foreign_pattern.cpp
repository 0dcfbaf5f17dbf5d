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
};

using ForeignForm = std::optional<Advice> (*)(const PatternText& pattern);

/// "write a list: ["a", "b"]".
std::string list_hint(const std::vector<std::string>& alternatives) {
  std::vector<std::string> shown;
  for (const std::string& alternative : alternatives) {
    if (!alternative.empty()) shown.push_back(fmt::format("\"{}\"", alternative));
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

/// `{a,b}` and `{0..3}`, but not the `{"a": 1, …}` of JSON.
std::optional<Advice> braces(const PatternText& pattern) {
  static const re2::RE2 in_braces(R"re((\{[^{}\s":]*(?:,|\.\.)[^{}\s":]*\}))re");
  re2::StringPiece found;
  if (!re2::RE2::PartialMatch(pattern.bare, in_braces, &found)) return std::nullopt;
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
  if (!re2::RE2::PartialMatch(pattern.bare, between_words, &found)) return std::nullopt;
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

std::optional<Advice> foreign_pattern(std::string_view glob) {
  const PatternText pattern{glob, without_quoted(glob)};
  constexpr std::array<ForeignForm, 3> kChecks{braces, bar, escaped_letter};
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
