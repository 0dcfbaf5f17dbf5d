#include "rules/share.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "rules/number.h"

namespace patchbay::rules {
namespace {

struct Quantity {
  std::string text;
  Number number = 0;
};

Result<Quantity> quantity(const Template& text, const RenderScope& scope) {
  auto rendered = text.render(scope);
  if (!rendered) return std::unexpected(std::move(rendered).error());
  const auto number = parse_bound(*rendered);
  return Quantity{*std::move(rendered), number.value_or(0)};
}

Result<size_t> parts_of(Number number) {
  if (number <= static_cast<Number>(SharePlan::kMost)) return static_cast<size_t>(number);
  return fail(fmt::format("'share' gives {:.0f} shares; at most {}", number, SharePlan::kMost));
}

/// Null, and reported: it is no such number.
std::optional<size_t> compile_limit(const config::Located<std::string>& written,
                                    config::Diagnostics& diagnostics) {
  const auto number = parse_number(written.value);
  if (number && *number >= 1 && *number <= static_cast<Number>(SharePlan::kMost) &&
      *number == std::floor(*number)) {
    return static_cast<size_t>(*number);
  }
  diagnostics.error(written.at,
                    fmt::format("bad number '{}' for 'perContainer'", printable(written.value)),
                    fmt::format("a whole number from 1 to {}: how many shares of one unit a "
                                "container gets at most",
                                SharePlan::kMost));
  return std::nullopt;
}

/// Whether it is the same for every unit; so is what is not given.
bool is_literal(const std::optional<Template>& text) { return !text || text->uses().empty(); }

/// A key for what it gives: of a constant the number.
std::optional<std::string> meaning(const std::optional<Template>& text) {
  if (!text) return std::nullopt;
  const auto number = is_literal(text) ? parse_bound(text->with("")) : std::nullopt;
  return number ? exact_text(*number) : "$" + text->text();
}

/// What every unit would be refused for is said at once. False if it is a mistake.
bool check_constants(const SharePlan& share, const config::ShareSpec& spec,
                     config::Diagnostics& diagnostics) {
  if (!is_literal(share.count) || !is_literal(share.total) || !is_literal(share.each)) {
    return true;
  }
  const auto parts = share.parts({});
  if (parts && share.per_container && *share.per_container > *parts) {
    diagnostics.warning(spec.per_container->at,
                        fmt::format("'perContainer: {}' limits nothing: a unit has {} shares",
                                    *share.per_container, *parts),
                        fmt::format("write a number up to {}, or leave it out", *parts));
  }
  if (parts) return true;
  const config::Position& at = spec.count ? spec.count->at : spec.total->at;
  if (spec.total && parse_bound(spec.total->value) < parse_bound(spec.each->value)) {
    diagnostics.warning(at, parts.error().message + ": no unit can be offered",
                        "'each' is the size of one share of 'total'");
    return true;
  }
  diagnostics.error(at, parts.error().message,
                    spec.total ? "give 'each' a larger size, or 'total' a smaller one"
                               : fmt::format("a whole number from 1 to {}", SharePlan::kMost));
  return false;
}

}  // namespace

std::optional<SharePlan> SharePlan::compile(const config::ShareSpec& spec,
                                            const TemplateRules& rules,
                                            config::Diagnostics& diagnostics) {
  bool failed = false;
  const auto compile_one = [&](const std::optional<config::Located<std::string>>& written) {
    std::optional<Template> text;
    if (!written) return text;
    text = Template::compile(*written, TextUse::quantity, rules.at(Moment::sharing), diagnostics);
    failed = failed || !text;
    return text;
  };
  SharePlan share{compile_one(spec.count), compile_one(spec.total), compile_one(spec.each), {}};
  if (spec.per_container) {
    share.per_container = compile_limit(*spec.per_container, diagnostics);
    failed = failed || !share.per_container;
  }
  if (failed || !check_constants(share, spec, diagnostics)) return std::nullopt;
  return share;
}

Result<size_t> SharePlan::parts(const RenderScope& scope) const {
  if (count) {
    const auto number = quantity(*count, scope);
    if (!number) return std::unexpected(number.error());
    if (number->number != std::floor(number->number)) {
      return fail(fmt::format("'count' is {}, which is no whole number", number->text));
    }
    return parts_of(number->number);
  }
  const auto whole = quantity(*total, scope);
  if (!whole) return std::unexpected(whole.error());
  const auto part = quantity(*each, scope);
  if (!part) return std::unexpected(part.error());
  if (whole->number < part->number) {
    return fail(fmt::format("'total' is {}, less than 'each', {}", whole->text, part->text));
  }
  return parts_of(std::floor(whole->number / part->number));
}

bool operator==(const SharePlan& a, const SharePlan& b) {
  return meaning(a.count) == meaning(b.count) && meaning(a.total) == meaning(b.total) &&
         meaning(a.each) == meaning(b.each) && a.per_container == b.per_container;
}

void SharePlan::want(WantedFacts& wanted, std::string_view member) const {
  for (const auto* text : {&count, &total, &each}) {
    if (*text) (*text)->want(wanted, member);
  }
}

}  // namespace patchbay::rules
