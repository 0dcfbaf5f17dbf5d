#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "rules/plan/variable_check.h"
#include "rules/text/position.h"
#include "rules/text/template.h"
#include "rules/text/text_hint.h"
#include "rules/text/variable_hint.h"

namespace patchbay::rules {
namespace {

constexpr int kMaxFallbackDepth = 8;
constexpr const char* kUnclosedHint = "write ')' after the variable; '$$(' is a literal '$('";

/// The fault of a text for this use. `written` is the template.
std::optional<std::string> fault_of(const std::string& text, const std::string& written,
                                    TextUse use) {
  if (use == TextUse::path) {
    const auto fault = path_fault(text);
    if (!fault) return std::nullopt;
    return fmt::format("the path '{}' {}", written, *fault);
  }
  if (use == TextUse::cdi_name) {
    const auto fault = cdi_name_fault(text);
    if (!fault) return std::nullopt;
    return fmt::format("the CDI device '{}' {}", written, *fault);
  }
  if (use == TextUse::address) {
    if (parse_address(text)) return std::nullopt;
    return fmt::format("the address '{}' is not HOST:PORT", written);
  }
  const auto whole = finish_text(text, use);
  if (whole) return std::nullopt;
  return fmt::format("'{}' {}", written, whole.error().message);
}

}  // namespace

/// Parses one text and checks its variables. A syntax error ends the parse; other mistakes do not.
class TemplateParser {
 public:
  using Piece = Template::Piece;

  TemplateParser(const config::Located<std::string>& text, TextUse use, const TemplateRules& rules,
                 config::Diagnostics& diagnostics)
      : text_(text),
        use_(use),
        diagnostics_(diagnostics),
        variables_(text, use, rules, diagnostics) {}

  /// Parses up to the end, or in a fallback up to its `)`. `first`: nothing precedes it.
  std::optional<std::vector<Piece>> parse(bool first = true, int depth = 0);
  /// Checks the whole text, as far as it is known without a device.
  void check_whole(const std::vector<Piece>& pieces);
  [[nodiscard]] bool failed() const { return failed_ || variables_.failed(); }

 private:
  [[nodiscard]] std::string_view rest() const {
    return std::string_view(text_.value).substr(next_);
  }
  void error(size_t offset, std::string message, std::string hint = {}) {
    failed_ = true;
    diagnostics_.error(position_in(text_, offset), std::move(message), std::move(hint));
  }
  /// Whether a variable, or an attempt to write one, begins here.
  [[nodiscard]] bool at_variable() const {
    return is_of_condition(use_) ? rest().starts_with("$(")
                                 : rest().starts_with('$') && !rest().starts_with("$$");
  }
  void take_character(std::string& out);
  std::optional<Piece> parse_variable(bool first, int depth);
  bool parse_fallback(Piece& piece, size_t start, bool first, int depth);
  Piece parse_literal(int depth);
  [[nodiscard]] std::string example(const std::vector<Piece>& pieces, bool fallbacks) const;

  const config::Located<std::string>& text_;
  TextUse use_;
  config::Diagnostics& diagnostics_;
  VariableChecker variables_;
  size_t next_ = 0;
  bool failed_ = false;
};

/// Takes a literal character, with its escape.
void TemplateParser::take_character(std::string& out) {
  if (rest().starts_with(is_of_condition(use_) ? "$$(" : "$$")) {
    ++next_;
  } else if (has_escapes(use_) && rest().front() == '\\' && rest().size() > 1) {
    out += text_.value[next_++];
  }
  out += text_.value[next_++];
}

TemplateParser::Piece TemplateParser::parse_literal(int depth) {
  const size_t start = next_;
  Piece piece;
  while (!rest().empty() && (depth == 0 || rest().front() != ')') && !at_variable()) {
    take_character(piece.literal);
  }
  if (const auto fault = literal_fault(piece.literal, use_)) {
    error(start, *fault, literal_hint(use_));
  }
  if (depth == 0 || !is_of_condition(use_)) return piece;
  if (const auto fault = fallback_fault(piece.literal, use_)) {
    error(start, *fault, "it is compared literally; for alternatives write a list");
  }
  piece.literal = escape_literal(piece.literal, use_);
  return piece;
}

std::optional<TemplateParser::Piece> TemplateParser::parse_variable(bool first, int depth) {
  const size_t start = next_;
  if (!rest().starts_with("$(")) {
    error(start, "a '$' that does not begin a $(variable)", lone_dollar_hint(rest()));
    return std::nullopt;
  }
  next_ += 2;
  const std::string_view inner = rest();
  const size_t length = std::min({inner.find_first_of("$()"), inner.find(":-"), inner.size()});
  const std::string_view end = inner.substr(length);
  if (!end.starts_with(')') && !end.starts_with(":-")) {
    error(start, "'$(' without ')'", kUnclosedHint);
    return std::nullopt;
  }
  Piece piece;
  piece.variable = variables_.check(inner.substr(0, length), start, first);
  next_ += length;
  if (end.starts_with(":-") && !parse_fallback(piece, start, first, depth)) return std::nullopt;
  ++next_;
  return piece;
}

bool TemplateParser::parse_fallback(Piece& piece, size_t start, bool first, int depth) {
  if (depth == kMaxFallbackDepth) {
    error(start, "fallbacks are nested too deeply", fmt::format("at most {}", kMaxFallbackDepth));
    return false;
  }
  next_ += 2;
  auto fallback = parse(first, depth + 1);
  if (!fallback) return false;
  if (rest().empty()) {
    error(start, "'$(' without ')'", kUnclosedHint);
    return false;
  }
  piece.has_fallback = true;
  piece.fallback = std::move(*fallback);
  return true;
}

std::optional<std::vector<TemplateParser::Piece>> TemplateParser::parse(bool first, int depth) {
  std::vector<Piece> pieces;
  while (!rest().empty() && (depth == 0 || rest().front() != ')')) {
    if (!at_variable()) {
      pieces.push_back(parse_literal(depth));
      continue;
    }
    auto piece = parse_variable(first && pieces.empty(), depth);
    if (!piece) return std::nullopt;
    pieces.push_back(std::move(*piece));
  }
  return pieces;
}

/// The text for an example device. With `fallbacks`, for a device without the values that have a
/// fallback.
std::string TemplateParser::example(const std::vector<Piece>& pieces, bool fallbacks) const {
  std::string out;
  for (const Piece& piece : pieces) {
    if (!piece.variable) {
      out += piece.literal;
    } else if (fallbacks && piece.has_fallback) {
      out += example(piece.fallback, fallbacks);
    } else if (use_ == TextUse::quantity || use_ == TextUse::address) {
      out += '1';
    } else {
      out += info(*piece.variable).whole_path ? "/x" : "x";
    }
  }
  return out;
}

void TemplateParser::check_whole(const std::vector<Piece>& pieces) {
  for (const bool fallbacks : {false, true}) {
    auto fault = fault_of(example(pieces, fallbacks), text_.value, use_);
    if (!fault) continue;
    error(0, *std::move(fault), text_hint(use_));
    return;
  }
}

std::optional<Template> Template::compile(const config::Located<std::string>& text, TextUse use,
                                          const TemplateRules& rules,
                                          config::Diagnostics& diagnostics) {
  TemplateParser parser(text, use, rules, diagnostics);
  auto pieces = parser.parse();
  if (!parser.failed()) parser.check_whole(*pieces);
  if (parser.failed()) return std::nullopt;
  Template out;
  out.text_ = text.value;
  out.at_ = {text.at};
  out.use_ = use;
  out.pieces_ = std::move(*pieces);
  return out;
}

}  // namespace patchbay::rules
