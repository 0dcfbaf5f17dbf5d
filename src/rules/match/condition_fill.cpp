#include <algorithm>
#include <utility>

#include <re2/re2.h>

#include "rules/match/condition.h"
#include "rules/text/glob.h"

/// Replaces the variables of a condition with their values.
namespace patchbay::rules {
namespace {

/// Memory limit of one pattern, compiled and during matching.
constexpr int64_t kPatternMemory = int64_t{1} << 20U;

std::shared_ptr<const re2::RE2> make_pattern(const std::string& text, bool dot_matches_newline) {
  re2::RE2::Options options(re2::RE2::Quiet);
  options.set_max_mem(kPatternMemory);
  options.set_dot_nl(dot_matches_newline);
  return std::make_shared<const re2::RE2>(text, options);
}

/// A value that is not a number is absent, so that its fallback is used.
std::optional<Number> number_of(const Template& text, const RenderScope& scope) {
  for (const auto fallbacks : {Template::Fallbacks::where_absent, Template::Fallbacks::always}) {
    const auto rendered = text.render(scope, fallbacks);
    if (const auto number = rendered ? parse_bound(*rendered) : std::nullopt) return number;
  }
  return std::nullopt;
}

}  // namespace

bool Condition::set_glob(std::string_view text) {
  auto glob = parse_glob(text);
  if (!glob) return false;
  if (glob->form == Glob::Form::pattern) {
    kind_ = Kind::pattern;
    text_ = text;
    pattern_ = make_pattern(glob->text, true);
    return pattern_->ok();
  }
  kind_ = glob->form == Glob::Form::prefix ? Kind::prefix : Kind::equals;
  text_ = std::move(glob->text);
  return true;
}

bool Condition::set_regex(const std::string& text) {
  text_ = text;
  pattern_ = make_pattern(text, false);
  return pattern_->ok();
}

bool Condition::has_variables() const {
  const auto varies = [](const Bound& bound) { return bound.variable != nullptr; };
  return variable_ != nullptr || std::ranges::any_of(bounds_, varies) ||
         std::ranges::any_of(operands_, &Condition::has_variables);
}

void Condition::add_templates(std::vector<const Template*>& templates) const {
  if (variable_) templates.push_back(variable_.get());
  for (const Bound& bound : bounds_) {
    if (bound.variable) templates.push_back(bound.variable.get());
  }
  for (const Condition& operand : operands_) operand.add_templates(templates);
}

/// Fills the condition itself, without its operands. False: it is undecided.
bool Condition::fill_own(const RenderScope& scope) {
  for (Bound& bound : bounds_) {
    if (!bound.variable) continue;
    const auto number = number_of(*bound.variable, scope);
    if (!number) return false;
    bound.number = *number;
    bound.variable = nullptr;
  }
  if (!variable_) return true;
  auto text = variable_->render(scope);
  variable_ = nullptr;
  if (!text) return false;
  return kind_ == Kind::regex ? set_regex(*text) : set_glob(*text);
}

Condition Condition::filled(const RenderScope& scope) const {
  Condition out = *this;
  if (!out.fill_own(scope)) return {Kind::undecided, written_};
  for (Condition& operand : out.operands_) {
    if (operand.has_variables()) operand = operand.filled(scope);
  }
  return out;
}

}  // namespace patchbay::rules
