#include <utility>

#include "rules/match/mismatch.h"
#include "rules/plan/probe.h"

/// Renders the check of a probe for one unit, and judges its result.
namespace patchbay::rules {
namespace {

Verdict verdict_of(const Check& check, std::span<const Condition> conditions,
                   const CheckResult& result) {
  for (size_t i = 0; i < conditions.size(); ++i) {
    const auto value = result.values.find(check.names[i]);
    std::vector<std::string_view> values;
    if (value != result.values.end()) values.assign(value->second.begin(), value->second.end());
    if (conditions[i].matches(values)) continue;
    return {Verdict::Kind::failed, actual_values(check.names[i], values)};
  }
  return {};
}

}  // namespace

/// Renders the check without its conditions.
Result<Check> ProbePlan::render_check(const RenderScope& scope) const {
  Check check{.kind = kind, .read = read, .write = write, .timeout = timing.timeout};
  std::vector<std::string> rendered;
  for (const Template& text : texts) {
    auto one = text.render(scope);
    if (!one) return std::unexpected(std::move(one).error());
    rendered.push_back(*std::move(one));
  }
  for (const Test& test : tests) {
    auto name = test.path ? test.path->render(scope) : Result<std::string>(test.name);
    if (!name) return std::unexpected(std::move(name).error());
    check.names.push_back(*std::move(name));
  }
  switch (kind) {
    case Check::Kind::open:
      check.path = std::move(rendered.front());
      break;
    case Check::Kind::exec:
      check.arguments = std::move(rendered);
      break;
    case Check::Kind::tcp: {
      auto address = *parse_address(rendered.front());
      check.host = std::move(address.host);
      check.port = address.port;
      break;
    }
    case Check::Kind::attributes:
    case Check::Kind::properties:
      check.syspath = scope.device.facts->syspath();
      break;
    case Check::Kind::files:
      break;
  }
  return check;
}

Result<ProbePlan::Rendered> ProbePlan::render(const RenderScope& scope) const {
  auto check = render_check(scope);
  if (!check) return std::unexpected(std::move(check).error());
  Rendered rendered{*std::move(check), {}};
  for (const Test& test : tests) {
    std::vector<const Template*> templates;
    test.condition.add_templates(templates);
    for (const Template* const text : templates) {
      // A text that cannot be rendered is reported now, as for all other texts, so that the probe
      // does not fail forever.
      if (auto known = text->render(scope); !known) return std::unexpected(known.error());
    }
    rendered.conditions.push_back(test.condition.filled(scope));
  }
  return rendered;
}

Verdict judge(const Check& check, std::span<const Condition> conditions,
              const CheckResult& result) {
  switch (result.kind) {
    case CheckResult::Kind::failed:
      return {Verdict::Kind::failed, result.reason};
    case CheckResult::Kind::cannot_run:
      return {Verdict::Kind::cannot_run, result.reason};
    case CheckResult::Kind::done:
      return verdict_of(check, conditions, result);
  }
  return {};
}

void ProbePlan::want(WantedFacts& wanted, std::string_view member) const {
  for (const Template& text : texts) text.want(wanted, member);
  for (const Test& test : tests) {
    if (test.path) test.path->want(wanted, member);
    std::vector<const Template*> templates;
    test.condition.add_templates(templates);
    for (const Template* const text : templates) text->want(wanted, member);
  }
}

}  // namespace patchbay::rules
