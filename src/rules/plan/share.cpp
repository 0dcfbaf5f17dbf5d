#include "rules/plan/share.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "rules/text/number.h"

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

Result<size_t> share_count(Number number) {
  if (number <= static_cast<Number>(SharePlan::kMaxShares)) return static_cast<size_t>(number);
  return fail(
      fmt::format("'share' gives {:.0f} shares; the limit is {}", number, SharePlan::kMaxShares));
}

/// Returns null for an invalid number, which is reported.
std::optional<size_t> compile_limit(const config::Located<std::string>& written,
                                    config::Diagnostics& diagnostics) {
  const auto number = parse_number(written.value);
  if (number && *number >= 1 && *number <= static_cast<Number>(SharePlan::kMaxShares) &&
      *number == std::floor(*number)) {
    return static_cast<size_t>(*number);
  }
  diagnostics.error(
      written.at, fmt::format("bad number '{}' for 'perContainer'", printable(written.value)),
      fmt::format(
          "write a whole number from 1 to {}: the most shares of one unit that a container gets",
          SharePlan::kMaxShares));
  return std::nullopt;
}

/// Whether the text is the same for every unit. An absent text is.
bool is_literal(const std::optional<Template>& text) { return !text || text->uses().empty(); }

/// A key for the meaning; for a constant, its number.
std::optional<std::string> canonical_key(const std::optional<Template>& text) {
  if (!text) return std::nullopt;
  const auto number = is_literal(text) ? parse_bound(text->with("")) : std::nullopt;
  return number ? exact_text(*number) : "$" + text->text();
}

/// Reports values that would cause every unit to be rejected. False if there is a mistake.
bool check_constants(const SharePlan& share, const config::ShareSpec& spec,
                     config::Diagnostics& diagnostics) {
  if (!is_literal(share.count) || !is_literal(share.total) || !is_literal(share.each)) {
    return true;
  }
  const auto shares = share.shares({});
  if (shares) return true;
  const config::Position& at = spec.count ? spec.count->at : spec.total->at;
  if (spec.total && parse_bound(spec.total->value) < parse_bound(spec.each->value)) {
    diagnostics.warning(at, shares.error().message + ": no unit can be offered",
                        "'each' is the size of one share of 'total'");
    return true;
  }
  diagnostics.error(at, shares.error().message,
                    spec.total
                        ? "give 'each' a larger size, or 'total' a smaller one"
                        : fmt::format("write a whole number from 1 to {}", SharePlan::kMaxShares));
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
    text =
        Template::compile(*written, TextUse::quantity, rules.at(RenderStage::sharing), diagnostics);
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

Result<size_t> SharePlan::shares(const RenderScope& scope) const {
  if (count) {
    const auto number = quantity(*count, scope);
    if (!number) return std::unexpected(number.error());
    if (number->number != std::floor(number->number)) {
      return fail(fmt::format("'count' is {}, which is not a whole number", number->text));
    }
    return share_count(number->number);
  }
  const auto total_size = quantity(*total, scope);
  if (!total_size) return std::unexpected(total_size.error());
  const auto size = quantity(*each, scope);
  if (!size) return std::unexpected(size.error());
  if (total_size->number < size->number) {
    return fail(fmt::format("'total' is {}, less than 'each', {}", total_size->text, size->text));
  }
  return share_count(std::floor(total_size->number / size->number));
}

bool operator==(const SharePlan& a, const SharePlan& b) {
  return canonical_key(a.count) == canonical_key(b.count) &&
         canonical_key(a.total) == canonical_key(b.total) &&
         canonical_key(a.each) == canonical_key(b.each) && a.per_container == b.per_container;
}

void SharePlan::want(WantedFacts& wanted, std::string_view member) const {
  for (const auto* text : {&count, &total, &each}) {
    if (*text) (*text)->want(wanted, member);
  }
}

}  // namespace patchbay::rules
