#include "rules/match/path_pattern.h"

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "config/spec.h"
#include "rules/match/condition.h"
#include "rules/text/glob.h"
#include "rules/text/plain_text.h"
#include "rules/text/position.h"
#include "rules/text/text_hint.h"
#include "rules/text/text_use.h"

namespace patchbay::rules {
namespace {

/// Whether the first component of the pattern can match this directory.
bool reaches(std::string_view component, std::string_view directory) {
  config::Diagnostics unused;
  config::ConditionSpec spec;
  spec.text = component;
  const auto condition = Condition::compile(spec, {}, unused);
  return condition && condition->matches({&directory, 1});
}

/// Reports the first component that is not a valid glob.
bool check_component_globs(const config::Located<std::string>& pattern,
                           config::Diagnostics& diagnostics) {
  size_t start = 0;
  for (const std::string_view component : split(pattern.value, '/')) {
    const auto glob = parse_glob(component);
    if (!glob) {
      diagnostics.error(position_in(pattern, start + glob.error().offset),
                        fmt::format("bad pattern '{}': {}", pattern.value, glob.error().message),
                        "'\\' takes the next character literally");
      return false;
    }
    if (const size_t stars = component.find("**"); stars != std::string_view::npos) {
      diagnostics.error(position_in(pattern, start + stars), "'**' does not match subdirectories",
                        "write one '*' for each level: /dev/*/*");
      return false;
    }
    start += component.size() + 1;
  }
  return true;
}

bool check_sysfs(const config::Located<std::string>& pattern, config::Diagnostics& diagnostics) {
  if (pattern.value.starts_with("/sys/")) return true;
  diagnostics.error(pattern.at,
                    fmt::format("the sysfs pattern '{}' does not begin with /sys/", pattern.value),
                    "for other paths use glob:");
  return false;
}

bool check_glob(const config::Located<std::string>& pattern, config::Diagnostics& diagnostics) {
  const std::string_view first = split(std::string_view(pattern.value).substr(1), '/').front();
  for (const std::string directory : {"sys", "proc"}) {
    if (!reaches(first, directory)) continue;
    diagnostics.error(pattern.at,
                      fmt::format("the pattern '{}' is below /{}, which does not report changes",
                                  pattern.value, directory),
                      directory == "sys" ? "use sysfs: for directories under /sys"
                                         : "to compare the content of a file there write file:");
    return false;
  }
  return true;
}

}  // namespace

bool check_path_pattern(const config::Located<std::string>& pattern,
                        config::Diagnostics& diagnostics) {
  if (const auto fault = path_fault(pattern.value)) {
    diagnostics.error(pattern.at, fmt::format("the pattern '{}' {}", pattern.value, *fault),
                      kPathHint);
    return false;
  }
  return check_component_globs(pattern, diagnostics);
}

bool check_path_pattern(const config::Located<std::string>& pattern, RuleKind kind,
                        config::Diagnostics& diagnostics) {
  if (!check_plain(pattern, Escapes::backslash, fmt::format("a pattern of {}:", rule_word(kind)),
                   "the pattern is used before any device is known: write '*', and compare the "
                   "result with name: or file:",
                   diagnostics)) {
    return false;
  }
  if (!check_path_pattern(pattern, diagnostics)) return false;
  return kind == RuleKind::sysfs ? check_sysfs(pattern, diagnostics)
                                 : check_glob(pattern, diagnostics);
}

}  // namespace patchbay::rules
