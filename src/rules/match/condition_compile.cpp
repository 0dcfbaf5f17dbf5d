#include <array>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/text.h"
#include "rules/match/condition.h"
#include "rules/text/glob.h"
#include "rules/text/plain_text.h"
#include "rules/text/position.h"
#include "rules/text/text_hint.h"

namespace patchbay::rules {
namespace {

constexpr std::string_view kVariableInPatternHint =
    "a value is inserted literally: it cannot be a part of a character class, a group name or a "
    "number";

/// Whether a value can be inserted literally after this beginning of a glob.
bool glob_goes_on(const std::string& before) { return parse_glob(before).has_value(); }

/// Whether a value can be inserted literally after this beginning of a regular expression: a '['
/// would begin a class, and no repetition count is open.
bool regex_goes_on(const std::string& before) {
  const auto code = [](const std::string& text) {
    return re2::RE2(text, re2::RE2::Quiet).error_code();
  };
  return code(before) != re2::RE2::ErrorMissingBracket &&
         code(before + '[') == re2::RE2::ErrorMissingBracket &&
         !re2::RE2::PartialMatch(before, R"((?:^|[^\\])\{[0-9,]*$)");
}

bool check_exists(const config::ConditionSpec& spec, config::Diagnostics& diagnostics) {
  const bool others =
      spec.regex || spec.gt || spec.ge || spec.lt || spec.le || !spec.negated.empty();
  if (spec.exists->value || !others) return true;
  diagnostics.error(spec.exists->at, "an absent value meets no other condition",
                    "to match an absent value or another one, write a list: [{exists: false}, …]");
  return false;
}

}  // namespace

/// Compiles one condition with its operands. Each step reports its mistakes and continues.
class ConditionCompiler {
 public:
  ConditionCompiler(const ConditionRules& rules, config::Diagnostics& diagnostics)
      : rules_(rules), diagnostics_(diagnostics) {}

  std::optional<Condition> compile(const config::ConditionSpec& spec);

 private:
  using Kind = Condition::Kind;
  using Comparison = Condition::Comparison;
  using Text = Condition::Text;

  std::optional<Text> read(const config::Located<std::string>& text, TextUse use);
  std::optional<Condition> compile_text(const config::ConditionSpec& spec);
  std::optional<Condition> compile_list(const config::ConditionSpec& spec);
  std::optional<Condition> compile_mapping(const config::ConditionSpec& spec);
  std::optional<Condition> compile_regex(const config::Located<std::string>& regex);
  std::optional<Condition> compile_range(const config::ConditionSpec& spec);
  std::optional<Condition::Bound> compile_bound(Comparison order,
                                                const config::Located<std::string>& written);
  bool check_placement(const config::Located<std::string>& text, const Template& variable,
                       TextUse use);

  const ConditionRules& rules_;
  config::Diagnostics& diagnostics_;
};

/// Returns null if a variable is wrong.
std::optional<Condition::Text> ConditionCompiler::read(const config::Located<std::string>& text,
                                                       TextUse use) {
  if (text.value.find("$(") == std::string::npos) return Text{text.value, nullptr};
  const auto escapes = has_escapes(use) ? Escapes::backslash : Escapes::none;
  if (rules_.variables == nullptr &&
      !check_plain(text, escapes, rules_.context, rules_.hint, diagnostics_)) {
    return std::nullopt;
  }
  const TemplateRules none;
  auto parsed =
      Template::compile(text, use, rules_.variables ? *rules_.variables : none, diagnostics_);
  if (!parsed) return std::nullopt;
  if (parsed->uses().empty()) return Text{parsed->with(""), nullptr};
  return Text{text.value, std::make_shared<const Template>(*std::move(parsed))};
}

/// A value can be inserted only where a literal is allowed.
bool ConditionCompiler::check_placement(const config::Located<std::string>& text,
                                        const Template& variable, TextUse use) {
  for (const std::string& before : variable.before_variables(escape_literal("x", use))) {
    if (use == TextUse::pattern ? glob_goes_on(before) : regex_goes_on(before)) continue;
    diagnostics_.error(text.at, "a variable is not allowed here",
                       std::string(kVariableInPatternHint));
    return false;
  }
  return true;
}

std::optional<Condition> ConditionCompiler::compile_text(const config::ConditionSpec& spec) {
  const config::Located<std::string> written{spec.text, spec.at};
  auto text = read(written, TextUse::pattern);
  if (!text) return std::nullopt;
  const std::string example =
      text->variable ? text->variable->with(escape_literal("x", TextUse::pattern)) : text->plain;
  if (const auto glob = parse_glob(example); !glob) {
    diagnostics_.error(position_in(written, text->variable ? 0 : glob.error().offset),
                       fmt::format("bad pattern '{}': {}", spec.text, glob.error().message),
                       "escape the character with '\\' to compare it literally");
    return std::nullopt;
  }
  if (text->variable && !check_placement(written, *text->variable, TextUse::pattern)) {
    return std::nullopt;
  }
  Condition out(Kind::equals, spec.text);
  out.variable_ = std::move(text->variable);
  if (out.set_glob(example)) return out;
  diagnostics_.error(spec.at, fmt::format("bad pattern: {}", out.pattern_->error()),
                     "write a shorter pattern");
  return std::nullopt;
}

std::optional<Condition> ConditionCompiler::compile_list(const config::ConditionSpec& spec) {
  Condition out(Kind::any, "");
  for (const config::ConditionSpec& operand : spec.list) {
    if (auto compiled = compile(operand)) out.operands_.push_back(std::move(*compiled));
  }
  if (out.operands_.size() != spec.list.size() || spec.list.empty()) return std::nullopt;
  if (out.operands_.size() == 1) return std::move(out.operands_.front());
  return out;
}

std::optional<Condition> ConditionCompiler::compile_regex(
    const config::Located<std::string>& regex) {
  auto text = read(regex, TextUse::regex);
  if (!text) return std::nullopt;
  Condition out(Kind::regex, regex.value);
  const bool good = out.set_regex(
      text->variable ? text->variable->with(escape_literal("x", TextUse::regex)) : text->plain);
  if (!good) {
    diagnostics_.error(regex.at, fmt::format("bad regular expression: {}", out.pattern_->error()),
                       kRegexHint);
    return std::nullopt;
  }
  if (text->variable && !check_placement(regex, *text->variable, TextUse::regex))
    return std::nullopt;
  out.variable_ = std::move(text->variable);
  return out;
}

std::optional<Condition::Bound> ConditionCompiler::compile_bound(
    Comparison order, const config::Located<std::string>& written) {
  auto text = read(written, TextUse::comparand);
  if (!text) return std::nullopt;
  const std::string example = text->variable ? text->variable->with("1") : text->plain;
  if (const auto number = parse_bound(example)) {
    return Condition::Bound{order, *number, written.value, std::move(text->variable)};
  }
  diagnostics_.error(written.at,
                     fmt::format("'{}' is not a number for '{}'", printable(written.value),
                                 Condition::word(order)),
                     "write a decimal number, or 0x and hex digits, optionally with one of k, M, "
                     "G, Ki, Mi, Gi, Ti after it");
  return std::nullopt;
}

/// Returns null if a bound is not a number, which is reported. Without bounds in the spec, the
/// result has none.
std::optional<Condition> ConditionCompiler::compile_range(const config::ConditionSpec& spec) {
  const std::array<std::pair<Comparison, const std::optional<config::Located<std::string>>*>, 4>
      given{{{Comparison::gt, &spec.gt},
             {Comparison::ge, &spec.ge},
             {Comparison::lt, &spec.lt},
             {Comparison::le, &spec.le}}};
  Condition out(Kind::range, "");
  bool failed = false;
  for (const auto& [order, written] : given) {
    if (!*written) continue;
    auto bound = compile_bound(order, **written);
    failed = failed || !bound;
    if (bound) out.bounds_.push_back(*std::move(bound));
  }
  if (failed) return std::nullopt;
  return out;
}

std::optional<Condition> ConditionCompiler::compile_mapping(const config::ConditionSpec& spec) {
  bool failed = false;
  Condition out(Kind::all, "");
  if (spec.exists) {
    out.operands_.push_back(Condition(spec.exists->value ? Kind::present : Kind::absent, ""));
    failed = !check_exists(spec, diagnostics_) || failed;
  }
  for (const config::ConditionSpec& negated : spec.negated) {
    Condition none(Kind::none, "");
    auto operand = compile(negated);
    failed = failed || !operand;
    if (operand) none.operands_.push_back(std::move(*operand));
    out.operands_.push_back(std::move(none));
  }
  auto range = compile_range(spec);
  failed = failed || !range;
  if (range && !range->bounds_.empty()) out.operands_.push_back(std::move(*range));
  if (spec.regex) {
    auto regex = compile_regex(*spec.regex);
    failed = failed || !regex;
    if (regex) out.operands_.push_back(*std::move(regex));
  }
  if (failed || out.operands_.empty()) return std::nullopt;
  if (out.operands_.size() == 1) return std::move(out.operands_.front());
  return out;
}

std::optional<Condition> ConditionCompiler::compile(const config::ConditionSpec& spec) {
  switch (spec.form) {
    case config::ConditionSpec::Form::text:
      return compile_text(spec);
    case config::ConditionSpec::Form::list:
      return compile_list(spec);
    case config::ConditionSpec::Form::mapping:
      return compile_mapping(spec);
  }
  return std::nullopt;
}

std::optional<Condition> Condition::compile(const config::ConditionSpec& spec,
                                            const ConditionRules& rules,
                                            config::Diagnostics& diagnostics) {
  return ConditionCompiler(rules, diagnostics).compile(spec);
}

}  // namespace patchbay::rules
