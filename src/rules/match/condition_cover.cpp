#include "rules/match/condition_cover.h"

#include <fnmatch.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/text/glob.h"

namespace patchbay::rules {
namespace {

using config::ConditionSpec;
using config::FactConditionSpec;
using config::MatchSpec;
using Text = config::Located<std::string>;

bool same(const std::optional<Text>& a, const std::optional<Text>& b) {
  return a.has_value() == b.has_value() && (!a || a->value == b->value);
}

bool same(const std::vector<Text>& a, const std::vector<Text>& b) {
  return std::ranges::equal(a, b, {}, &Text::value, &Text::value);
}

bool same(const ConditionSpec& a, const ConditionSpec& b) {
  const auto equal = [](const ConditionSpec& x, const ConditionSpec& y) { return same(x, y); };
  return a.form == b.form && a.text == b.text && same(a.regex, b.regex) && same(a.gt, b.gt) &&
         same(a.ge, b.ge) && same(a.lt, b.lt) && same(a.le, b.le) &&
         a.exists.has_value() == b.exists.has_value() &&
         (!a.exists || a.exists->value == b.exists->value) &&
         std::ranges::equal(a.list, b.list, equal) &&
         std::ranges::equal(a.negated, b.negated, equal);
}

bool same(const FactConditionSpec& a, const FactConditionSpec& b) {
  return a.fact == b.fact && a.name.value == b.name.value && same(a.condition, b.condition);
}

/// Whether the condition matches only existing values.
bool needs_value(const ConditionSpec& condition) {
  if (condition.form == ConditionSpec::Form::text) return true;
  if (condition.form == ConditionSpec::Form::list)
    return std::ranges::all_of(condition.list, needs_value);
  return !condition.exists || condition.exists->value;
}

bool has_variables(std::string_view text) { return text.find("$(") != std::string_view::npos; }

/// Whether `narrow` begins with a text that matches `wide`. A pattern without wildcards matches
/// only itself.
bool begins_alike(std::string_view wide, std::string_view narrow) {
  const size_t wildcard = wide.find_first_of("*?[\\");
  return wildcard != std::string_view::npos && narrow.starts_with(wide.substr(0, wildcard));
}

bool glob_covers(const std::string& wide, const std::string& narrow) {
  if (wide == narrow) return true;
  if (!begins_alike(wide, narrow)) return false;
  if (has_variables(wide) || has_variables(narrow)) return false;
  const auto outer = parse_glob(wide);
  const auto inner = parse_glob(narrow);
  if (!outer || !inner) return false;
  if (inner->form == Glob::Form::literal) {
    return ::fnmatch(wide.c_str(), inner->text.c_str(), 0) == 0;
  }
  return outer->form == Glob::Form::prefix && inner->form == Glob::Form::prefix &&
         inner->text.starts_with(outer->text);
}

/// Patterns of paths: a `*` does not match a slash.
bool path_covers(const std::string& wide, const std::string& narrow) {
  if (wide == narrow) return true;
  if (!begins_alike(wide, narrow)) return false;
  const auto inner = parse_glob(narrow);
  return inner && inner->form == Glob::Form::literal &&
         ::fnmatch(wide.c_str(), inner->text.c_str(), FNM_PATHNAME | FNM_PERIOD) == 0;
}

bool paths_cover(const std::vector<Text>& wide, const std::vector<Text>& narrow) {
  return std::ranges::all_of(narrow, [&](const Text& inner) {
    return std::ranges::any_of(
        wide, [&](const Text& outer) { return path_covers(outer.value, inner.value); });
  });
}

bool same_blocks(const std::vector<MatchSpec>& a, const std::vector<MatchSpec>& b) {
  return std::ranges::equal(
      a, b, [](const MatchSpec& x, const MatchSpec& y) { return rules::same(x, y); });
}

/// Whether each of the blocks is also in `others`.
bool all_among(const std::vector<MatchSpec>& blocks, const std::vector<MatchSpec>& others) {
  return std::ranges::all_of(blocks, [&](const MatchSpec& block) {
    return std::ranges::any_of(others,
                               [&](const MatchSpec& other) { return rules::same(block, other); });
  });
}

/// Whether every value that meets `narrow` also meets `wide`, judged by the text of the conditions.
/// False if this is not known.
bool covers(const ConditionSpec& wide, const ConditionSpec& narrow) {
  if (same(wide, narrow)) return true;
  if (narrow.form == ConditionSpec::Form::list && !narrow.list.empty()) {
    return std::ranges::all_of(narrow.list,
                               [&](const ConditionSpec& operand) { return covers(wide, operand); });
  }
  if (wide.form == ConditionSpec::Form::list) {
    return std::ranges::any_of(
        wide.list, [&](const ConditionSpec& operand) { return covers(operand, narrow); });
  }
  if (wide.form == ConditionSpec::Form::text) {
    return narrow.form == ConditionSpec::Form::text && glob_covers(wide.text, narrow.text);
  }
  ConditionSpec any_value;
  any_value.form = ConditionSpec::Form::mapping;
  any_value.exists = wide.exists;
  return wide.exists && wide.exists->value && same(wide, any_value) && needs_value(narrow);
}

}  // namespace

bool same(const MatchSpec& a, const MatchSpec& b) {
  return same(a.sysfs, b.sysfs) && same(a.glob, b.glob) && same(a.static_names, b.static_names) &&
         std::ranges::equal(
             a.conditions, b.conditions,
             [](const FactConditionSpec& x, const FactConditionSpec& y) { return same(x, y); }) &&
         same_blocks(a.any, b.any) && same_blocks(a.all, b.all) &&
         same_blocks(a.except, b.except) && same_blocks(a.ancestor, b.ancestor);
}

bool covers(const MatchSpec& wide, const MatchSpec& narrow) {
  if (wide.sysfs.empty() != narrow.sysfs.empty() || wide.glob.empty() != narrow.glob.empty() ||
      !same(wide.static_names, narrow.static_names)) {
    return false;
  }
  const auto is_met = [&](const FactConditionSpec& outer) {
    return std::ranges::any_of(narrow.conditions, [&](const FactConditionSpec& inner) {
      return outer.fact == inner.fact && outer.name.value == inner.name.value &&
             covers(outer.condition, inner.condition);
    });
  };
  return std::ranges::all_of(wide.conditions, is_met) && paths_cover(wide.sysfs, narrow.sysfs) &&
         paths_cover(wide.glob, narrow.glob) &&
         (wide.any.empty() || same_blocks(wide.any, narrow.any)) &&
         all_among(wide.all, narrow.all) && all_among(wide.except, narrow.except) &&
         all_among(wide.ancestor, narrow.ancestor);
}

}  // namespace patchbay::rules
