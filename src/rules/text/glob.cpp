#include "rules/text/glob.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/text.h"

namespace patchbay::rules {
namespace {

/// Parses one glob once, from left to right. The text is UTF-8.
class GlobParser {
 public:
  explicit GlobParser(std::string_view text) : text_(text) {}

  std::expected<Glob, GlobError> parse();

 private:
  using Step = std::expected<void, GlobError>;

  [[nodiscard]] bool at_end() const { return next_ == text_.size(); }
  std::string_view take_character();
  std::expected<std::string_view, GlobError> take_escaped();
  Step read_class();
  std::expected<std::string, GlobError> class_character(size_t open);
  void wildcard(std::string_view regex);

  std::string_view text_;
  size_t next_ = 0;
  std::string literal_;  ///< Text before the first wildcard.
  std::string regex_;
  size_t wildcards_ = 0;
  bool only_stars_ = true;
  bool literal_after_ = false;  ///< Literal text after a wildcard exists.
};

std::string_view GlobParser::take_character() {
  size_t length = 1;
  while (next_ + length < text_.size() &&
         (static_cast<unsigned char>(text_[next_ + length]) & 0xC0U) == 0x80U) {
    ++length;
  }
  const std::string_view character = text_.substr(next_, length);
  next_ += length;
  return character;
}

/// The next character; after a `\`, the escaped character.
std::expected<std::string_view, GlobError> GlobParser::take_escaped() {
  const size_t start = next_;
  const std::string_view character = take_character();
  if (character != "\\") return character;
  if (at_end())
    return std::unexpected(GlobError{"a '\\' at the end does not escape a character", start});
  return take_character();
}

void GlobParser::wildcard(std::string_view regex) {
  regex_ += regex;
  ++wildcards_;
}

/// One character of a class, quoted for RE2.
std::expected<std::string, GlobError> GlobParser::class_character(size_t open) {
  if (at_end()) return std::unexpected(GlobError{"'[' without ']'", open});
  const auto character = take_escaped();
  if (!character) return std::unexpected(character.error());
  return re2::RE2::QuoteMeta({character->data(), character->size()});
}

GlobParser::Step GlobParser::read_class() {
  const size_t open = next_++;
  std::string out = "[";
  if (!at_end() && (text_[next_] == '!' || text_[next_] == '^')) {
    out += '^';
    ++next_;
  }
  for (bool first = true; at_end() || text_[next_] != ']' || first; first = false) {
    const size_t start = next_;
    if (text_.substr(next_, 2) == "[:") {
      return std::unexpected(
          GlobError{"character classes such as [:digit:] are not supported", next_});
    }
    const auto low = class_character(open);
    if (!low) return std::unexpected(low.error());
    out += *low;
    if (text_.substr(next_, 1) != "-" || text_.substr(next_, 2) == "-]") continue;
    ++next_;
    const auto high = class_character(open);
    if (!high) return std::unexpected(high.error());
    out += '-' + *high;
    if (!re2::RE2(fmt::format("[{}-{}]", *low, *high), re2::RE2::Quiet).ok()) {
      return std::unexpected(GlobError{"a range ends before it begins", start});
    }
  }
  ++next_;
  wildcard(out + "]");
  only_stars_ = false;
  return {};
}

std::expected<Glob, GlobError> GlobParser::parse() {
  if (!is_utf8(text_)) return std::unexpected(GlobError{"not UTF-8", 0});
  while (!at_end()) {
    const char c = text_[next_];
    if (c == '[') {
      if (const Step step = read_class(); !step) return std::unexpected(step.error());
    } else if (c == '*' || c == '?') {
      ++next_;
      wildcard(c == '*' ? "\\C*" : ".");
      only_stars_ = only_stars_ && c == '*';
    } else {
      const auto character = take_escaped();
      if (!character) return std::unexpected(character.error());
      regex_ += re2::RE2::QuoteMeta({character->data(), character->size()});
      if (wildcards_ == 0) literal_ += *character;
      literal_after_ = wildcards_ > 0;
    }
  }
  if (wildcards_ == 0) return Glob{Glob::Form::literal, std::move(literal_)};
  if (only_stars_ && !literal_after_ && wildcards_ == 1) {
    return Glob{Glob::Form::prefix, std::move(literal_)};
  }
  return Glob{Glob::Form::pattern, std::move(regex_)};
}

}  // namespace

std::expected<Glob, GlobError> parse_glob(std::string_view text) {
  return GlobParser(text).parse();
}

}  // namespace patchbay::rules
