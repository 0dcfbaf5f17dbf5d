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
constexpr const char* kLoneDollarHint = "a variable is written $(name), a dollar sign '$$'";
constexpr const char* kCdiHint =
    "VENDOR/CLASS=DEVICE, such as nvidia.com/gpu=$(id): letters, digits, '.', '_', '-', and in "
    "DEVICE ':'";
constexpr const char* kAddressHint = "such as 192.0.2.7:5025, [2001:db8::7]:5025 or $(name):5025";

struct Fault {
  std::string message;
  std::string hint;
};

/// What is wrong with a text for that use, of which `written` is the template.
std::optional<Fault> fault_of(const std::string& text, const std::string& written, TextUse use) {
  if (use == TextUse::path) {
    const auto fault = path_fault(text);
    if (!fault) return std::nullopt;
    return Fault{fmt::format("the path '{}' {}", written, *fault), {}};
  }
  if (use == TextUse::cdi_name) {
    const auto fault = cdi_name_fault(text);
    if (!fault) return std::nullopt;
    return Fault{fmt::format("the CDI device '{}' {}", written, *fault), kCdiHint};
  }
  if (use == TextUse::address) {
    if (parse_address(text)) return std::nullopt;
    return Fault{fmt::format("the address '{}' is no HOST:PORT", written), kAddressHint};
  }
  const auto whole = finished(text, use);
  if (whole) return std::nullopt;
  return Fault{fmt::format("'{}' {}", written, whole.error().message),
               use == TextUse::quantity ? "such as 4, 1Gi or 0x10" : ""};
}

std::string_view since(Moment moment) {
  switch (moment) {
    case Moment::matching:
      return "";
    case Moment::grouping:
      return "once the device matches";
    case Moment::identity:
      return "once the unit is complete";
    case Moment::sharing:
      return "after the id is";
    case Moment::allocation:
      return "when a container gets the unit";
  }
  return "";
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
  /// Of the whole text between the brackets,
  VariableRef check_name(std::string_view name, size_t start, bool first);
  /// and of what stands there of one thing.
  VariableRef check_of(const ThingRules& thing, std::string_view name, size_t start, bool first);
  VariableRef check_member(const MemberRules& member, std::string_view name, size_t start,
                           bool first);
  VariableRef check_ancestor(const ThingRules& thing, std::string_view name, size_t start,
                             bool first);
  /// What is wrong with the variable there; empty if it may stand there.
  [[nodiscard]] std::string moment_fault(const VariableInfo& variable) const;
  [[nodiscard]] std::string variable_list(const ThingRules& thing,
                                          std::span<const MemberRules> members) const;
  void report_unknown(const ThingRules& thing, std::string_view name, size_t start);
  /// A variable as it stands in the text.
  struct Written {
    std::string_view text;  ///< After the name of a member, or of what is above.
    size_t start = 0;
    bool first = false;
  };
  void check_variable(const ThingRules& thing, const VariableInfo& variable, const VariableRef& ref,
                      const Written& written);
  /// False if there is something wrong with it, which is reported.
  bool check_argument(const ThingRules& thing, const VariableRef& ref, size_t start);
  void check_use(const VariableInfo& variable, size_t start, bool first);
  [[nodiscard]] std::string example(const std::vector<Piece>& pieces, bool fallbacks) const;

  const config::Located<std::string>& text_;
  TextUse use_;
  const TemplateRules& rules_;
  config::Diagnostics& diagnostics_;
  size_t next_ = 0;
  std::string within_;  ///< "MEMBER." while what is checked is of a member.
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
    error(start, "a '$' that begins no $(variable)", kLoneDollarHint);
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
  piece.variable = check_name(inner.substr(0, length), start, first);
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

VariableRef TemplateParser::check_name(std::string_view name, size_t start, bool first) {
  const auto member = std::ranges::find(rules_.members, name.substr(0, name.find('.')),
                                        [](const auto& m) -> std::string_view { return m.name; });
  if (member == rules_.members.end()) return check_of(rules_.thing, name, start, first);
  if (!member->broken) return check_member(*member, name, start, first);
  failed_ = true;
  return {};
}

/// $(MEMBER.X) is X of another device of the unit.
VariableRef TemplateParser::check_member(const MemberRules& member, std::string_view name,
                                         size_t start, bool first) {
  const size_t dot = name.find('.');
  const std::string_view own = dot == std::string_view::npos ? "" : name.substr(dot + 1);
  const VariableInfo* const variable = find_variable(own.substr(0, own.find('.')));
  if (rules_.moment < Moment::identity) {
    error(start, fmt::format("'$({})' is known only {}", name, since(Moment::identity)),
          fmt::format("write $({}): {}", variable == nullptr ? "VARIABLE" : own, rules_.reason));
    return {};
  }
  if (own.empty()) {
    error(start, fmt::format("'$({})' lacks a variable: $({}.VARIABLE)", name, member.name),
          variable_list(member.thing, {}));
    return {};
  }
  if (variable != nullptr && !variable->of_device()) {
    error(start, fmt::format("'$({})' is not of a member: write $({})", name, own));
    return {};
  }
  within_ = member.name + '.';
  VariableRef ref = check_of(member.thing, own, start, first);
  within_.clear();
  ref.member = member.name;
  return ref;
}

/// $(ancestor.SUBSYSTEM.X) is X of another device.
VariableRef TemplateParser::check_ancestor(const ThingRules& thing, std::string_view name,
                                           size_t start, bool first) {
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
  if (!info(Variable::ancestor).known_in(thing.kind)) {
    error(start, fmt::format("'$({})' is not known in a {} rule", name, rule_word(thing.kind)),
          variable_list(thing, {}));
    return {};
  }
  VariableRef ref = check_of(thing, own, start, first);
  ref.above = rest.substr(0, dot);
  return ref;
}

void TemplateParser::report_unknown(const ThingRules& thing, std::string_view name, size_t start) {
  auto words = variable_words(thing.kind);
  const auto members = within_.empty() ? std::span<const MemberRules>(rules_.members)
                                       : std::span<const MemberRules>();
  const size_t end = std::min(name.find('.'), name.size());
  if (end < name.size()) {
    std::erase_if(words, [](std::string_view word) { return !find_variable(word)->has_argument; });
  }
  for (const MemberRules& member : members) words.push_back(member.name);
  const auto near = nearest_word(name.substr(0, end), words);
  error(start, fmt::format("unknown variable '$({}{})'", within_, name),
        near ? fmt::format("did you mean '$({}{}{})'?", within_, *near, name.substr(end))
             : variable_list(thing, members));
}

VariableRef TemplateParser::check_of(const ThingRules& thing, std::string_view name, size_t start,
                                     bool first) {
  if (name.starts_with(kAncestor)) return check_ancestor(thing, name, start, first);
  const size_t dot = name.find('.');
  const VariableInfo* const variable = find_variable(name.substr(0, dot));
  if (variable == nullptr) {
    report_unknown(thing, name, start);
    return {};
  }
  VariableRef ref{variable->variable,
                  std::string(dot == std::string_view::npos ? "" : name.substr(dot + 1))};
  check_variable(thing, *variable, ref, {.text = name, .start = start, .first = first});
  return ref;
}

/// One variable has one mistake: the first of these, of which the last can be judged least.
void TemplateParser::check_variable(const ThingRules& thing, const VariableInfo& variable,
                                    const VariableRef& ref, const Written& written) {
  const auto [name, start, first] = written;
  if (!variable.known_in(thing.kind)) {
    const bool node = thing.kind == RuleKind::glob && variable.variable == Variable::devnode;
    error(start,
          fmt::format("'$({}{})' is not known in a {} rule", within_, name, rule_word(thing.kind)),
          node ? fmt::format("the path that was found is $({}path)", within_)
               : variable_list(thing, {}));
  } else if (const auto fault = moment_fault(variable); !fault.empty()) {
    const bool early = variable.known_from > rules_.moment;
    error(start, fmt::format("'$({})' {}", variable.word, fault),
          std::string(early ? rules_.reason : ""));
  } else if (variable.has_argument && ref.argument.empty()) {
    error(start, fmt::format("'$({}{})' lacks a name: $({}{}.NAME)", within_, name, within_,
                             variable.word));
  } else if (!variable.has_argument && name != variable.word) {
    error(start,
          fmt::format("'$({}{})' has no parts: $({}{})", within_, name, within_, variable.word));
  } else if (name.ends_with('.')) {
    error(start, fmt::format("'$({}{})' ends in '.'", within_, name));
  } else if (check_argument(thing, ref, start)) {
    check_use(variable, start, first);
  }
}

bool TemplateParser::check_argument(const ThingRules& thing, const VariableRef& ref, size_t start) {
  if (ref.variable == Variable::attribute) {
    const auto fault = attribute_name_fault(ref.argument);
    if (fault) error(start, fmt::format("the attribute '{}' {}", ref.argument, *fault));
    return !fault;
  }
  if (ref.variable == Variable::usb || ref.variable == Variable::pci) {
    const std::string_view block = info(ref.variable).word;
    const auto names = config::key_names(block);
    if (std::ranges::find(names, ref.argument) != names.end()) return true;
    const auto near = nearest_word(ref.argument, names);
    error(start, fmt::format("unknown variable '{}'", ref.to_text()),
          near ? fmt::format("did you mean '$({}.{})'?", block, *near)
               : fmt::format("after '{}.' stands one of: {}", block, fmt::join(names, ", ")));
    return false;
  }
  if (ref.variable == Variable::capture && thing.captures &&
      std::ranges::find(*thing.captures, ref.argument) == thing.captures->end()) {
    const std::vector<std::string_view> names(thing.captures->begin(), thing.captures->end());
    const auto near = nearest_word(ref.argument, names);
    error(start, fmt::format("no regex of this match captures '{}'", ref.argument),
          near            ? fmt::format("did you mean '$(capture.{})'?", *near)
          : names.empty() ? fmt::format("name a group of a regex: (?P<{}>…)", ref.argument)
                          : fmt::format("captured are: {}", fmt::join(names, ", ")));
    return false;
  }
  return true;
}

std::string TemplateParser::moment_fault(const VariableInfo& variable) const {
  if (variable.known_from > rules_.moment) {
    return fmt::format("is known only {}", since(variable.known_from));
  }
  if (variable.variable == Variable::by && !rules_.grouped) return "needs a 'by' in the group";
  const bool of_share =
      variable.variable == Variable::replica || variable.variable == Variable::taken;
  return of_share && !rules_.shared ? "needs a 'share' in the group" : "";
}

std::string TemplateParser::variable_list(const ThingRules& thing,
                                          std::span<const MemberRules> members) const {
  std::string out = "variables are:";
  for (const std::string_view word : variable_words(thing.kind)) {
    const VariableInfo& variable = *find_variable(word);
    if (!moment_fault(variable).empty()) continue;
    out += fmt::format(" {}{}", word, variable.has_argument ? ".NAME" : "");
  }
  for (const MemberRules& member : members) out += fmt::format(" {}.VARIABLE", member.name);
  return out;
}

void TemplateParser::check_use(const VariableInfo& variable, size_t start, bool first) {
  if (use_ != TextUse::path) return;
  if (variable.variable == Variable::resource) {
    error(start, "'$(resource)' has a '/' and cannot be a part of a path");
  }
  if (variable.whole_path && !first) {
    error(start, fmt::format("'$({})' is a whole path: it can only begin one", variable.word));
  }
}

/// The text for a made-up device. With `fallbacks`, for one that lacks what has one.
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
      out += info(piece.variable->variable).whole_path ? "/x" : "x";
    }
  }
  return out;
}

void TemplateParser::check_whole(const std::vector<Piece>& pieces) {
  for (const bool fallbacks : {false, true}) {
    auto fault = fault_of(example(pieces, fallbacks), text_.value, use_);
    if (!fault) continue;
    error(0, std::move(fault->message), std::move(fault->hint));
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
