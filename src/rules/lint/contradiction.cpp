#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "rules/lint/warnings.h"
#include "rules/match/condition_cover.h"
#include "rules/text/number.h"

namespace patchbay::rules {
namespace {

using config::ConditionSpec;
using Bound = std::optional<config::Located<std::string>>;

std::optional<Number> number_of(const Bound& bound) {
  return bound ? parse_bound(bound->value) : std::nullopt;
}

/// The narrower bound of two, and whether it excludes the number itself.
struct RangeLimit {
  const Bound* written = nullptr;
  Number number = 0;
  bool open = false;
};

std::optional<RangeLimit> limit(const Bound& open, const Bound& closed, bool lower) {
  const auto a = number_of(open);
  const auto b = number_of(closed);
  if (a && b) {
    const bool first = lower ? *a >= *b : *a <= *b;
    return first ? RangeLimit{&open, *a, true} : RangeLimit{&closed, *b, false};
  }
  if (a) return RangeLimit{&open, *a, true};
  if (b) return RangeLimit{&closed, *b, false};
  return std::nullopt;
}

void check_range(const ConditionSpec& condition, config::Diagnostics& diagnostics) {
  const auto low = limit(condition.gt, condition.ge, true);
  const auto high = limit(condition.lt, condition.le, false);
  if (!low || !high || low->number < high->number) return;
  if (low->number == high->number && !low->open && !high->open) return;
  const std::string& least = (*low->written)->value;
  const std::string& most = (*high->written)->value;
  diagnostics.warning(
      (*high->written)->at,
      fmt::format("no number is {} {} and {} {}", low->open ? "above" : "at least", least,
                  high->open ? "below" : "at most", most),
      low->number == high->number
          ? fmt::format("write {{ge: {}, le: {}}} for this number only", least, most)
          : fmt::format("write {{ge: {}, le: {}}}, or for numbers outside of this range a list: "
                        "[{{le: {}}}, {{ge: {}}}]",
                        most, least, most, least));
}

ConditionSpec any_text() {
  ConditionSpec condition;
  condition.text = "*";
  return condition;
}

/// Whether every existing value meets the condition.
bool is_met_by_all(const ConditionSpec& condition) {
  if (condition.form == ConditionSpec::Form::text) return condition.text == "*";
  ConditionSpec any_text;
  any_text.text = "x*";
  return covers(condition, any_text) && condition.form == ConditionSpec::Form::mapping;
}

void check_opposites(const ConditionSpec& condition, config::Diagnostics& diagnostics) {
  for (const ConditionSpec& negated : condition.negated) {
    if (is_met_by_all(negated)) {
      diagnostics.warning(negated.at,
                          "this condition never matches: 'not' excludes every value, and an absent "
                          "value does not meet 'not'",
                          "for an absent value write {exists: false}");
      continue;
    }
    ConditionSpec rest = condition;
    rest.negated.clear();
    if (!covers(negated, rest)) continue;
    diagnostics.warning(negated.at,
                        "no value can match: 'not' excludes every value that the rest allows",
                        "remove one of the two");
  }
}

}  // namespace

void warn_of_contradictions(const ConditionSpec& condition, config::Diagnostics& diagnostics) {
  check_range(condition, diagnostics);
  check_opposites(condition, diagnostics);
}

void warn_of_exceptions(const config::MatchSpec& match, config::Diagnostics& diagnostics) {
  for (const config::MatchSpec& block : match.except) {
    if (block.broken || block.conditions.empty()) continue;
    config::MatchSpec found = match;
    found.sysfs.clear();
    found.glob.clear();
    found.static_names.clear();
    for (const Fact fact : {Fact::name, Fact::path, Fact::node}) {
      if (found.find(fact) == nullptr) found.conditions.push_back({fact, {}, any_text()});
    }
    if (!covers(block, found)) continue;
    diagnostics.warning(block.at,
                        "nothing can match: 'except' excludes everything that the rest matches",
                        "write only the devices to exclude in except:");
  }
  for (const auto* blocks : {&match.any, &match.all}) {
    for (const config::MatchSpec& block : *blocks) warn_of_exceptions(block, diagnostics);
  }
}

}  // namespace patchbay::rules
