#include "rules/match_keys.h"

#include <string>
#include <string_view>

#include <fmt/format.h>

namespace patchbay::rules {
namespace {

/// The hint for a key of paths in a rule that does not find paths.
std::string hint_of_paths(std::string_view key, RuleKind kind) {
  constexpr std::string_view kOfPaths = "it is of the paths that glob: finds";
  if (kind == RuleKind::static_name) return std::string(kOfPaths);
  return fmt::format("{}; of devices see {}:", kOfPaths, key == "type" ? "devtype" : "devnode");
}

std::string hint_of_devices(RuleKind kind) {
  return kind == RuleKind::glob
             ? "of a path only name:, path:, type: and file: are known; find devices by subsystem:"
             : "of a static name only name: and file: are known; find devices by subsystem:";
}

}  // namespace

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
                      fmt::format("'{}' is not known in a {} rule", key.value, rule_word(kind)),
                      path_key ? hint_of_paths(key.value, kind) : hint_of_devices(kind));
  }
}

void report_no_kind(const config::MatchSpec& spec, config::Diagnostics& diagnostics) {
  diagnostics.error(spec.at, "match does not say what to look at",
                    spec.find(Fact::path) != nullptr
                        ? "path: only compares what glob: finds: write glob: beside it"
                        : "give it one of subsystem:, sysfs:, glob:, static:");
}

}  // namespace patchbay::rules
