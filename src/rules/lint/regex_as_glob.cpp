#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/text.h"
#include "rules/lint/text_advice.h"
#include "rules/text/kernel_names.h"

namespace patchbay::rules {
namespace {

/// `ttyUSB*`: letters and `*`, where the `*` repeats the letter before it.
std::optional<Advice> star(const std::string& regex) {
  static const re2::RE2 plain(R"([A-Za-z0-9_:/|()-]+[A-Za-z0-9_:/-]\*[A-Za-z0-9_:/|()*-]*)");
  static const re2::RE2 repeated(R"(([A-Za-z0-9_:/-])\*)");
  if (!re2::RE2::FullMatch(regex, plain)) return std::nullopt;
  std::string meant = regex;
  re2::RE2::GlobalReplace(&meant, repeated, R"(\1.*)");
  const size_t at = regex.find('*');
  const bool pattern = regex.find_first_of("|()") == std::string::npos;
  return Advice{
      .offset = at,
      .message = fmt::format(
          "'{}' is a regular expression: its '*' repeats the '{}' and does not match other text",
          regex, regex[at - 1]),
      .hint = pattern ? fmt::format(
                            "write regex: '{}', or the pattern \"{}\" without regex:", meant, regex)
                      : fmt::format("write regex: '{}'", meant)};
}

/// `ttyUSB|ttyACM`: names to which the kernel adds a number.
std::optional<Advice> names_without_numbers(const ComparedValue& value, std::string_view regex) {
  const bool node = value.key == "devnode";
  if ((value.key != "name" && !node) || value.kind == RuleKind::static_name) return std::nullopt;
  // An expression with one anchor has its own warning.
  if (regex.starts_with('^') != regex.ends_with('$')) return std::nullopt;
  std::string_view inner = regex;
  if (inner.starts_with('^')) inner.remove_prefix(1);
  if (inner.ends_with('$')) inner.remove_suffix(1);
  const bool grouped = inner.starts_with('(') && inner.ends_with(')');
  if (grouped) inner = inner.substr(1, inner.size() - 2);
  const auto names = numbered_names();
  const auto words = split(inner, '|');
  const bool all = std::ranges::all_of(words, [&](std::string_view word) {
    return std::ranges::find(names, node ? base_name(word) : word, &NumberedName::stem) !=
           names.end();
  });
  if (!all) return std::nullopt;
  return Advice{
      .message = fmt::format("'{}' does not match whole names: the kernel adds a number", regex),
      .hint = fmt::format("write regex: '{}{}{}.*'", words.size() > 1 ? "(" : "", inner,
                          words.size() > 1 ? ")" : "")};
}

}  // namespace

std::optional<Advice> regex_as_glob(const ComparedValue& value, const ComparedText& text) {
  if (text.form != ComparedText::Form::regex) return std::nullopt;
  const std::string& regex = text.text.value;
  if (regex.find("$(") != std::string::npos) return std::nullopt;
  if (regex.empty()) return std::nullopt;
  if (auto advice = star(regex)) return advice;
  return names_without_numbers(value, regex);
}

}  // namespace patchbay::rules
