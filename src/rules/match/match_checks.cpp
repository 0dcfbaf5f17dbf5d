#include "rules/match/match_checks.h"

#include <algorithm>
#include <set>
#include <span>
#include <string>

#include <fmt/format.h>

#include "base/text.h"
#include "rules/text/plain_text.h"

namespace patchbay::rules {

config::Position key_position(const config::MatchSpec& spec, std::string_view key) {
  const auto found =
      std::ranges::find(spec.keys, key, [](const auto& written) { return written.value; });
  return found == spec.keys.end() ? spec.at : found->at;
}

void check_static_names(const std::vector<config::Located<std::string>>& names,
                        config::Diagnostics& diagnostics) {
  std::set<std::string_view> seen;
  for (const auto& name : names) {
    if (has_control_character(name.value)) {
      diagnostics.error(name.at, "control characters are not allowed here", "remove it");
    }
    if (!seen.insert(name.value).second) {
      diagnostics.error(name.at,
                        fmt::format("the name '{}' is listed twice", printable(name.value)),
                        "each name is one unit; to list a unit several times write share:");
    }
    check_plain(name, Escapes::none, "static:",
                "a static name is used before any device is known; for text that differs between "
                "nodes write id: or when:",
                diagnostics);
  }
}

void check_property_name(const config::Located<std::string>& name,
                         config::Diagnostics& diagnostics) {
  if (name.value.empty() || has_control_character(name.value)) {
    diagnostics.error(name.at, "not a valid property name", "write a name such as ID_SERIAL");
    return;
  }
  check_plain(name, Escapes::none, "the name of a property",
              "variables are expanded only in the compared value", diagnostics);
}

void warn_of_absent(const config::ConditionSpec& condition, const std::string& property,
                    config::Diagnostics& diagnostics) {
  const auto is_open = [](const config::ConditionSpec& operand) {
    return !operand.negated.empty() && !operand.exists && !operand.regex && !operand.gt &&
           !operand.ge && !operand.lt && !operand.le;
  };
  const auto takes_absent = [](const config::ConditionSpec& operand) {
    return operand.exists && !operand.exists->value;
  };
  const std::span<const config::ConditionSpec> operands =
      condition.form == config::ConditionSpec::Form::list ? std::span(condition.list)
                                                          : std::span(&condition, 1);
  const auto open = std::ranges::find_if(operands, is_open);
  if (open == operands.end() || std::ranges::any_of(operands, takes_absent)) return;
  diagnostics.warning(
      open->at,
      fmt::format("'not' does not match a device without the property '{}'", printable(property)),
      "write {exists: true, not: …} to say so; to match such a device too, [{exists: false}, {not: "
      "…}]");
}

bool check_not_itself(const Condition& condition, Fact fact, std::string_view argument,
                      const config::Position& at, config::Diagnostics& diagnostics) {
  std::vector<const Template*> templates;
  condition.add_templates(templates);
  for (const Template* const text : templates) {
    for (const Template::VariableUse& use : text->uses()) {
      const VariableRef& ref = *use.variable;
      const bool same =
          ref.above.empty() && ref.member.empty() && ref.is(fact) && ref.argument == argument;
      if (!same) continue;
      diagnostics.error(at, fmt::format("{} is compared with itself", ref.to_text()),
                        "compare it with another value, or write {exists: true}");
      return false;
    }
  }
  return true;
}

}  // namespace patchbay::rules
