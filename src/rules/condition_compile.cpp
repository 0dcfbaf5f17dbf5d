#include <array>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/text.h"
#include "rules/condition.h"
#include "rules/glob.h"
#include "rules/position.h"
#include "rules/text_hint.h"

namespace patchbay::rules {
namespace {

/// What one pattern may use, compiled and while it matches.
constexpr int64_t kPatternMemory = int64_t{1} << 20U;

std::shared_ptr<const re2::RE2> make_pattern(const std::string& text, bool dot_matches_newline) {
  re2::RE2::Options options(re2::RE2::Quiet);
  options.set_max_mem(kPatternMemory);
  options.set_dot_nl(dot_matches_newline);
  return std::make_shared<const re2::RE2>(text, options);
}

bool check_exists(const config::ConditionSpec& spec, config::Diagnostics& diagnostics) {
  const bool others =
      spec.is || spec.regex || spec.gt || spec.ge || spec.lt || spec.le || !spec.negated.empty();
  if (spec.exists->value || !others) return true;
  diagnostics.error(spec.exists->at, "nothing else holds for a value that does not exist",
                    "for \"absent, or …\" write a list: [{exists: false}, …]");
  return false;
}

}  // namespace

std::optional<Condition> Condition::compile_text(const config::ConditionSpec& spec,
                                                 config::Diagnostics& diagnostics) {
  auto glob = parse_glob(spec.text);
  if (!glob) {
    diagnostics.error(inside({spec.text, spec.at}, glob.error().offset),
                      fmt::format("bad pattern '{}': {}", spec.text, glob.error().message),
                      "write {is: …} to compare the text as it stands, or escape it with '\\'");
    return std::nullopt;
  }
  Condition out(Kind::equals, spec.text);
  if (glob->form != Glob::Form::pattern) {
    out.kind_ = glob->form == Glob::Form::prefix ? Kind::prefix : Kind::equals;
    out.text_ = std::move(glob->text);
    return out;
  }
  out.kind_ = Kind::pattern;
  out.pattern_ = make_pattern(glob->text, true);
  if (out.pattern_->ok()) return out;
  diagnostics.error(spec.at, fmt::format("bad pattern: {}", out.pattern_->error()),
                    "write {is: …} to compare the text as it stands");
  return std::nullopt;
}

std::optional<Condition> Condition::compile_list(const config::ConditionSpec& spec,
                                                 config::Diagnostics& diagnostics) {
  Condition out(Kind::any, "");
  for (const config::ConditionSpec& part : spec.list) {
    if (auto compiled = compile(part, diagnostics)) out.parts_.push_back(std::move(*compiled));
  }
  if (out.parts_.size() != spec.list.size() || spec.list.empty()) return std::nullopt;
  if (out.parts_.size() == 1) return std::move(out.parts_.front());
  return out;
}

std::optional<Condition> Condition::compile_regex(const config::Located<std::string>& regex,
                                                  config::Diagnostics& diagnostics) {
  Condition out(Kind::regex, regex.value);
  out.pattern_ = make_pattern(regex.value, false);
  if (out.pattern_->ok()) return out;
  diagnostics.error(regex.at, fmt::format("bad regular expression: {}", out.pattern_->error()),
                    regex_hint(regex.value));
  return std::nullopt;
}

/// Null if a bound is no number, which is reported; without bounds where none is given.
std::optional<Condition> Condition::compile_range(const config::ConditionSpec& spec,
                                                  config::Diagnostics& diagnostics) {
  const std::array<std::pair<Order, const std::optional<config::Located<std::string>>*>, 4> given{
      {{Order::gt, &spec.gt}, {Order::ge, &spec.ge}, {Order::lt, &spec.lt}, {Order::le, &spec.le}}};
  Condition out(Kind::range, "");
  bool failed = false;
  for (const auto& [order, written] : given) {
    if (!*written) continue;
    const auto& [text, at] = **written;
    if (const auto number = parse_bound(text)) {
      out.bounds_.push_back({order, *number, text});
    } else {
      failed = true;
      diagnostics.error(at, fmt::format("'{}' is no number for '{}'", printable(text), word(order)),
                        "a decimal number, 0x and hex digits, or either with one of k, M, G, Ki, "
                        "Mi, Gi, Ti after it");
    }
  }
  if (failed) return std::nullopt;
  return out;
}

std::optional<Condition> Condition::compile_mapping(const config::ConditionSpec& spec,
                                                    config::Diagnostics& diagnostics) {
  bool failed = false;
  Condition out(Kind::all, "");
  if (spec.is && spec.is->value.empty()) {
    failed = true;
    diagnostics.error(spec.is->at, "no value is ever empty: an empty one counts as absent",
                      "write {exists: false}");
  } else if (spec.is) {
    Condition is(Kind::equals, "");
    is.text_ = spec.is->value;
    out.parts_.push_back(std::move(is));
  }
  if (spec.exists) {
    out.parts_.push_back(Condition(spec.exists->value ? Kind::present : Kind::absent, ""));
    failed = !check_exists(spec, diagnostics) || failed;
  }
  for (const config::ConditionSpec& negated : spec.negated) {
    Condition none(Kind::none, "");
    auto part = compile(negated, diagnostics);
    failed = failed || !part;
    if (part) none.parts_.push_back(std::move(*part));
    out.parts_.push_back(std::move(none));
  }
  auto range = compile_range(spec, diagnostics);
  failed = failed || !range;
  if (range && !range->bounds_.empty()) out.parts_.push_back(std::move(*range));
  if (spec.regex) {
    auto regex = compile_regex(*spec.regex, diagnostics);
    failed = failed || !regex;
    if (regex) out.parts_.push_back(std::move(*regex));
  }
  if (failed || out.parts_.empty()) return std::nullopt;
  if (out.parts_.size() == 1) return std::move(out.parts_.front());
  return out;
}

std::optional<Condition> Condition::compile(const config::ConditionSpec& spec,
                                            config::Diagnostics& diagnostics) {
  switch (spec.form) {
    case config::ConditionSpec::Form::text:
      return compile_text(spec, diagnostics);
    case config::ConditionSpec::Form::list:
      return compile_list(spec, diagnostics);
    case config::ConditionSpec::Form::mapping:
      return compile_mapping(spec, diagnostics);
  }
  return std::nullopt;
}

}  // namespace patchbay::rules
