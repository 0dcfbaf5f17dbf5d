#include "rules/lint/single_device.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "rules/text/glob.h"

namespace patchbay::rules {
namespace {

bool has_no_wildcard(std::string_view glob) {
  const auto parsed = parse_glob(glob);
  return parsed && parsed->form == Glob::Form::literal;
}

/// Whether only listed values meet the condition.
bool names_values(const config::ConditionSpec& condition) {
  using Form = config::ConditionSpec::Form;
  if (condition.form == Form::text) return has_no_wildcard(condition.text);
  return !condition.list.empty() && std::ranges::all_of(condition.list, names_values);
}

/// Whether a single value meets the condition.
bool has_single_value(const config::ConditionSpec& condition) {
  using Form = config::ConditionSpec::Form;
  if (condition.form != Form::list) return names_values(condition);
  return condition.list.size() == 1 && has_single_value(condition.list.front());
}

bool is_one_path(const std::vector<config::Located<std::string>>& patterns) {
  return patterns.size() == 1 && has_no_wildcard(patterns.front().value);
}

/// Whether the attribute, property or key identifies one device.
bool identifies(std::string_view name) {
  constexpr std::array<std::string_view, 13> kWords{
      "serial", "socket",  "address", "rootPort", "uuid",      "wwid",        "eui",
      "dev",    "ID_PATH", "ID_WWN",  "DEVNAME",  "ID_SERIAL", "backing_file"};
  const std::string_view last = base_name(name);
  return last.ends_with("UUID") || std::ranges::any_of(kWords, [&](std::string_view word) {
           return last == word || (word.starts_with("ID_") && last.starts_with(word));
         });
}

/// Whether the fact of the condition identifies one device.
bool identifies(const config::FactConditionSpec& condition) {
  if (info(condition.fact).has_argument) {
    return condition.fact != Fact::file && identifies(condition.name.value);
  }
  return condition.fact == Fact::name || condition.fact == Fact::devnode ||
         condition.fact == Fact::link;
}

}  // namespace

bool matches_single_device(const config::MatchSpec& match) {
  return match.static_names.size() == 1 || is_one_path(match.glob) || is_one_path(match.sysfs) ||
         std::ranges::any_of(match.conditions, [](const config::FactConditionSpec& condition) {
           return identifies(condition) && has_single_value(condition.condition);
         });
}

bool identifies_each_device(const config::MatchSpec& match) {
  return std::ranges::any_of(match.conditions, [](const config::FactConditionSpec& condition) {
    return identifies(condition) && names_values(condition.condition);
  });
}

}  // namespace patchbay::rules
