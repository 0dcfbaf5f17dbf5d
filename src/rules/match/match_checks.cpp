#include "rules/match/match_checks.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "rules/text/plain_text.h"

namespace patchbay::rules {
namespace {

/// The hint for a key of paths in a rule that does not find paths.
std::string hint_of_paths(std::string_view key, RuleKind kind) {
  constexpr std::string_view kOfPaths = "it applies only to paths that glob: finds";
  if (kind == RuleKind::static_name) return std::string(kOfPaths);
  return fmt::format("{}; for devices write {}:", kOfPaths, key == "type" ? "devtype" : "devnode");
}

std::string hint_of_devices(RuleKind kind) {
  return kind == RuleKind::glob
             ? "a path has only name:, path:, type: and file:; find devices by subsystem:"
             : "a static name has only name: and file:; find devices by subsystem:";
}

}  // namespace

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

void check_match_keys(const config::MatchSpec& spec, RuleKind kind,
                      config::Diagnostics& diagnostics) {
  const bool of_devices = kind == RuleKind::subsystem || kind == RuleKind::sysfs;
  for (const auto& key : spec.keys) {
    const FactInfo* const fact = find_fact(key.value);
    // The keys that select devices are checked before.
    const bool known = key.value == "ancestor"
                           ? of_devices
                           : fact == nullptr || fact->fact == Fact::subsystem ||
                                 fact->fact == Fact::glob || fact->compared_in.contains(kind);
    if (known) continue;
    const bool path_key = fact != nullptr && !fact->compared_in.contains(RuleKind::subsystem);
    diagnostics.error(key.at,
                      fmt::format("'{}' is not available in a {} rule", key.value, rule_word(kind)),
                      path_key ? hint_of_paths(key.value, kind) : hint_of_devices(kind));
  }
}

void report_no_kind(const config::MatchSpec& spec, config::Diagnostics& diagnostics) {
  diagnostics.error(spec.at, "match selects nothing",
                    spec.find(Fact::path) != nullptr
                        ? "path: compares only paths that glob: finds: write glob: beside it"
                        : "write one of subsystem:, sysfs:, glob:, static:");
}

}  // namespace patchbay::rules
