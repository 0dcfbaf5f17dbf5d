#include "rules/match_keys.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace patchbay::rules {
namespace {

constexpr std::array<std::string_view, 12> kOfDevices{
    "devtype", "devnode",   "driver",   "numaNode", "iommuGroup", "usb",
    "pci",     "attribute", "property", "tag",      "link",       "ancestor"};

bool is_of_paths(std::string_view key) { return key == "type" || key == "path"; }

bool is_of_devices(std::string_view key) {
  return std::ranges::find(kOfDevices, key) != kOfDevices.end();
}

/// Why a key of paths has no meaning in a rule that finds none.
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

bool check_match_keys(const config::MatchSpec& spec, RuleKind kind,
                      config::Diagnostics& diagnostics) {
  const bool of_devices = kind == RuleKind::subsystem || kind == RuleKind::sysfs;
  bool ok = true;
  for (const auto& key : spec.keys) {
    const bool path_key = kind != RuleKind::glob && is_of_paths(key.value);
    if (!path_key && (of_devices || !is_of_devices(key.value))) continue;
    diagnostics.error(key.at,
                      fmt::format("'{}' is not known in a {} rule", key.value, rule_word(kind)),
                      path_key ? hint_of_paths(key.value, kind) : hint_of_devices(kind));
    ok = false;
  }
  return ok;
}

void report_no_kind(const config::MatchSpec& spec, config::Diagnostics& diagnostics) {
  diagnostics.error(spec.at, "match does not say what to look at",
                    spec.path ? "path: only compares what glob: finds: write glob: beside it"
                              : "give it one of subsystem:, sysfs:, glob:, static:");
}

}  // namespace patchbay::rules
