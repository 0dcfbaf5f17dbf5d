#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "config/keys.h"
#include "rules/attribute_name.h"
#include "rules/position.h"
#include "rules/template.h"

namespace patchbay::rules {
namespace {

constexpr int kMaxFallbackDepth = 8;
constexpr std::string_view kAncestor = "ancestor.";
constexpr const char* kDollarHint = "write '$$' for a dollar sign";

std::string variable_list(RuleKind kind) {
  std::string out = "variables are:";
  for (const std::string_view word : variable_words(kind)) {
    out += fmt::format(" {}{}", word, find_variable(word)->has_argument ? ".NAME" : "");
  }
  return out;
}

}  // namespace

/// Takes one text apart and checks its parts. A mistake of syntax ends the parse; others do not.
class TemplateParser {
 public:
  using Piece = Template::Piece;

  TemplateParser(const config::Located<std::string>& text, TextUse use, const TemplateRules& rules,
                 config::Diagnostics& diagnostics)
      : text_(text), use_(use), rules_(rules), diagnostics_(diagnostics) {}

  /// Up to the end; inside a fallback, up to its `)`. `first`: nothing stands before it.
  std::optional<std::vector<Piece>> parse(bool first = true, int depth = 0);
  /// What is wrong with the whole, as far as can be known without a device.
  void check_whole(const std::vector<Piece>& pieces);
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  [[nodiscard]] std::string_view rest() const {
    return std::string_view(text_.value).substr(next_);
  }
  void error(size_t offset, std::string message, std::string hint = {}) {
    failed_ = true;
    diagnostics_.error(inside(text_, offset), std::move(message), std::move(hint));
  }
  std::optional<Piece> parse_variable(bool first, int depth);
  bool parse_fallback(Piece& piece, size_t start, bool first, int depth);
  Piece parse_literal(int depth);
  VariableRef check_ancestor(std::string_view name, size_t start, bool first);
  VariableRef check_variable(std::string_view name, size_t start, bool first);
  void check_argument(const VariableRef& ref, size_t start);
  void check_use(const VariableInfo& variable, size_t start, bool first);
  static std::string example(const std::vector<Piece>& pieces, bool fallbacks);

  const config::Located<std::string>& text_;
  TextUse use_;
  const TemplateRules& rules_;
  config::Diagnostics& diagnostics_;
  size_t next_ = 0;
  bool failed_ = false;
};

TemplateParser::Piece TemplateParser::parse_literal(int depth) {
  const size_t start = next_;
  Piece piece;
  while (!rest().empty() && (depth == 0 || rest().front() != ')')) {
    if (rest().front() == '$') {
      if (!rest().starts_with("$$")) break;
      ++next_;
    }
    piece.literal += rest().front();
    ++next_;
  }
  if (const auto fault = literal_fault(piece.literal, use_)) error(start, *fault);
  return piece;
}

std::optional<TemplateParser::Piece> TemplateParser::parse_variable(bool first, int depth) {
  const size_t start = next_;
  if (!rest().starts_with("$(")) {
    error(start, "a '$' that begins no $(variable)", kDollarHint);
    return std::nullopt;
  }
  next_ += 2;
  const std::string_view inner = rest();
  const size_t length = std::min({inner.find_first_of("$()"), inner.find(":-"), inner.size()});
  const std::string_view end = inner.substr(length);
  if (!end.starts_with(')') && !end.starts_with(":-")) {
    error(start, "'$(' without ')'", kDollarHint);
    return std::nullopt;
  }
  Piece piece;
  piece.variable = check_variable(inner.substr(0, length), start, first);
  next_ += length;
  if (end.starts_with(":-") && !parse_fallback(piece, start, first, depth)) return std::nullopt;
  ++next_;
  return piece;
}

bool TemplateParser::parse_fallback(Piece& piece, size_t start, bool first, int depth) {
  if (depth == kMaxFallbackDepth) {
    error(start, "too many fallbacks inside one another");
    return false;
  }
  next_ += 2;
  auto fallback = parse(first, depth + 1);
  if (!fallback) return false;
  if (rest().empty()) {
    error(start, "'$(' without ')'", kDollarHint);
    return false;
  }
  piece.has_fallback = true;
  piece.fallback = std::move(*fallback);
  return true;
}

std::optional<std::vector<TemplateParser::Piece>> TemplateParser::parse(bool first, int depth) {
  std::vector<Piece> pieces;
  while (!rest().empty() && (depth == 0 || rest().front() != ')')) {
    if (rest().front() != '$' || rest().starts_with("$$")) {
      pieces.push_back(parse_literal(depth));
      continue;
    }
    auto piece = parse_variable(first && pieces.empty(), depth);
    if (!piece) return std::nullopt;
    pieces.push_back(std::move(*piece));
  }
  return pieces;
}

/// $(ancestor.SUBSYSTEM.X) is X of another device.
VariableRef TemplateParser::check_ancestor(std::string_view name, size_t start, bool first) {
  const std::string_view rest = name.substr(kAncestor.size());
  const size_t dot = rest.find('.');
  if (dot == 0 || dot == std::string_view::npos || dot + 1 == rest.size()) {
    error(start, fmt::format("'$({})' lacks a part: $(ancestor.SUBSYSTEM.VARIABLE)", name));
    return {};
  }
  const std::string_view own = rest.substr(dot + 1);
  const VariableInfo* const variable = find_variable(own.substr(0, own.find('.')));
  if (variable != nullptr && !variable->of_ancestors()) {
    error(start, fmt::format("'$({})' is of no device above", own));
    return {};
  }
  if (rules_.kind == RuleKind::glob) {
    error(start, fmt::format("'$({})' is not known in a glob rule", name),
          variable_list(rules_.kind));
    return {};
  }
  VariableRef ref = check_variable(own, start, first);
  ref.above = rest.substr(0, dot);
  return ref;
}

VariableRef TemplateParser::check_variable(std::string_view name, size_t start, bool first) {
  if (name.starts_with(kAncestor)) return check_ancestor(name, start, first);
  const size_t dot = name.find('.');
  const VariableInfo* const variable = find_variable(name.substr(0, dot));
  if (variable == nullptr) {
    const auto words = variable_words(rules_.kind);
    const auto near = nearest_word(name, words);
    error(start, fmt::format("unknown variable '$({})'", name),
          near ? fmt::format("did you mean '$({})'?", *near) : variable_list(rules_.kind));
    return {};
  }
  VariableRef ref{variable->variable,
                  std::string(dot == std::string_view::npos ? "" : name.substr(dot + 1)),
                  {}};
  if (!variable->known_in(rules_.kind)) {
    const bool node = rules_.kind == RuleKind::glob && variable->variable == Variable::devnode;
    error(start, fmt::format("'$({})' is not known in a {} rule", name, rule_word(rules_.kind)),
          node ? "the path that was found is $(path)" : variable_list(rules_.kind));
  }
  if (variable->has_argument != !ref.argument.empty() || name.ends_with('.')) {
    error(start, variable->has_argument
                     ? fmt::format("'$({})' lacks a name: $({}.NAME)", name, variable->word)
                     : fmt::format("'$({})' has no parts: $({})", name, variable->word));
  }
  check_argument(ref, start);
  check_use(*variable, start, first);
  return ref;
}

void TemplateParser::check_argument(const VariableRef& ref, size_t start) {
  if (ref.argument.empty()) return;
  if (ref.variable == Variable::attribute) {
    if (const auto fault = attribute_name_fault(ref.argument)) {
      error(start, fmt::format("the attribute '{}' {}", ref.argument, *fault));
    }
  }
  if (ref.variable == Variable::usb || ref.variable == Variable::pci) {
    const std::string_view block = info(ref.variable).word;
    const auto names = config::key_names(block);
    if (std::ranges::find(names, ref.argument) != names.end()) return;
    const auto near = nearest_word(ref.argument, names);
    error(start, fmt::format("unknown variable '{}'", ref.to_text()),
          near ? fmt::format("did you mean '$({}.{})'?", block, *near)
               : fmt::format("after '{}.' stands one of: {}", block, fmt::join(names, ", ")));
  }
  if (ref.variable == Variable::capture && rules_.captures &&
      std::ranges::find(*rules_.captures, ref.argument) == rules_.captures->end()) {
    const std::vector<std::string_view> names(rules_.captures->begin(), rules_.captures->end());
    const auto near = nearest_word(ref.argument, names);
    error(start, fmt::format("no regex of this match captures '{}'", ref.argument),
          near            ? fmt::format("did you mean '$(capture.{})'?", *near)
          : names.empty() ? fmt::format("name a group of a regex: (?P<{}>…)", ref.argument)
                          : fmt::format("captured are: {}", fmt::join(names, ", ")));
  }
}

void TemplateParser::check_use(const VariableInfo& variable, size_t start, bool first) {
  const bool in_id = use_ == TextUse::id;
  if (in_id && (variable.variable == Variable::id || variable.variable == Variable::slot)) {
    error(start, fmt::format("'$({})' is known only after the id is", variable.word));
  }
  if (use_ != TextUse::path) return;
  if (variable.variable == Variable::resource) {
    error(start, "'$(resource)' has a '/' and cannot be a part of a path");
  }
  if (variable.whole_path && !first) {
    error(start, fmt::format("'$({})' is a whole path: it can only begin one", variable.word));
  }
}

/// The text for a made-up device. With `fallbacks`, for one that lacks what has one.
std::string TemplateParser::example(const std::vector<Piece>& pieces, bool fallbacks) {
  std::string out;
  for (const Piece& piece : pieces) {
    if (!piece.variable) {
      out += piece.literal;
    } else if (fallbacks && piece.has_fallback) {
      out += example(piece.fallback, fallbacks);
    } else {
      out += info(piece.variable->variable).whole_path ? "/x" : "x";
    }
  }
  return out;
}

void TemplateParser::check_whole(const std::vector<Piece>& pieces) {
  for (const bool fallbacks : {false, true}) {
    const std::string text = example(pieces, fallbacks);
    if (use_ == TextUse::path) {
      if (const auto fault = path_fault(text)) {
        error(0, fmt::format("the path '{}' {}", text_.value, *fault));
        return;
      }
    } else if (auto whole = finished(text, use_); !whole) {
      error(0, fmt::format("'{}' {}", text_.value, whole.error().message));
      return;
    }
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
  out.use_ = use;
  out.pieces_ = std::move(*pieces);
  return out;
}

}  // namespace patchbay::rules
