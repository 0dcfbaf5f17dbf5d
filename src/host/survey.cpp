#include "host/survey.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "host/device_list.h"
#include "host/fact_reader.h"
#include "host/glob_pattern.h"
#include "host/sysfs_source.h"

namespace patchbay::host {
namespace {

/// By key, each thing once, whatever finds it.
using Targets = std::map<std::string, Target, NaturalLess>;

Target& target_of(Targets& targets, const std::string& key) {
  Target& target = targets[key];
  target.key = key;
  target.whatever = true;
  return target;
}

Targets targets_of(const HostQuery& query, const HostRoot& root, const std::string& sysfs) {
  Targets targets;
  for (const std::string& key : list_kernel_devices(query.subsystems)) target_of(targets, key);
  for (auto& [key, found_by] : list_sysfs(query.sysfs_patterns, sysfs)) {
    Target& target = target_of(targets, key);
    target.found_by = found_by;
    target.by_sysfs = true;
  }
  for (const std::string& pattern : query.glob_patterns) {
    for (const std::string& path : GlobPattern(pattern, root).list()) {
      Target& target = target_of(targets, path);
      target.found_by = target.found_by.with({{.pattern = pattern}});
      target.by_glob = true;
    }
  }
  for (const std::string& name : query.static_names) target_of(targets, static_key(name));
  return targets;
}

}  // namespace

std::vector<DeviceFactsPtr> survey(const HostQueryPtr& query, const HostRoot& root, size_t most,
                                   const std::string& sysfs) {
  FactReader reader(query, root, sysfs);
  std::vector<DeviceFactsPtr> things;
  for (const auto& [key, target] : targets_of(*query, root, sysfs)) {
    if (things.size() == most) break;
    if (auto reading = reader.read(target); reading.facts) {
      things.push_back(std::move(reading.facts));
    }
  }
  return things;
}

std::vector<std::string> known_subsystems(const std::string& sysfs) {
  std::set<std::string> names;
  for (const char* directory : {"/bus", "/class"}) {
    std::error_code error;
    for (std::filesystem::directory_iterator entry(sysfs + directory, error), end;
         !error && entry != end; entry.increment(error)) {
      names.insert(entry->path().filename());
    }
  }
  return {names.begin(), names.end()};
}

std::string existing_part(const std::string& path, const HostRoot& root) {
  std::string part = path;
  while (part.size() > 1 && !root.exists(part)) {
    part.resize(std::max<size_t>(part.rfind('/'), 1));
  }
  return part;
}

}  // namespace patchbay::host
