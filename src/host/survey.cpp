#include "host/survey.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "host/facts/device_list.h"
#include "host/facts/fact_reader.h"
#include "host/sysfs_source.h"
#include "paths/glob_pattern.h"

namespace patchbay::host {
namespace {

/// By key, each entity once, whatever finds it.
using TargetsByKey = std::map<std::string, Target, NaturalLess>;

Target& target_of(TargetsByKey& targets, const std::string& key) {
  Target& target = targets[key];
  target.key = key;
  target.ignore_rules = true;
  return target;
}

TargetsByKey targets_of(const HostQuery& query, const paths::HostRoot& root,
                        const DeviceTree& tree) {
  TargetsByKey targets;
  for (const std::string& key : list_kernel_devices(tree, query.subsystems))
    target_of(targets, key);
  for (auto& [key, found_by] : list_sysfs(tree, query.sysfs_patterns)) {
    Target& target = target_of(targets, key);
    target.found_by = found_by;
    target.by_sysfs = true;
  }
  for (const std::string& pattern : query.glob_patterns) {
    for (const std::string& path : paths::GlobPattern(pattern, root).list()) {
      Target& target = target_of(targets, path);
      target.found_by = target.found_by.with({{.pattern = pattern}});
      target.by_glob = true;
    }
  }
  for (const std::string& name : query.static_names) target_of(targets, static_key(name));
  return targets;
}

}  // namespace

std::vector<DeviceFactsPtr> survey(const HostQueryPtr& query, const paths::HostRoot& root,
                                   size_t most, const std::string& sysfs) {
  FactReader reader(query, root, sysfs);
  std::vector<DeviceFactsPtr> entities;
  for (const auto& [key, target] : targets_of(*query, root, DeviceTree(root, sysfs))) {
    if (entities.size() == most) break;
    if (auto reading = reader.read(target); reading.facts) {
      entities.push_back(std::move(reading.facts));
    }
  }
  return entities;
}

std::vector<std::string> known_subsystems(const DeviceTree& tree) {
  std::set<std::string> names;
  for (const char* directory : {"/bus", "/class"}) {
    for (std::string& name : tree.files.names_in(tree.sysfs + directory)) {
      names.insert(std::move(name));
    }
  }
  return {names.begin(), names.end()};
}

std::string existing_prefix(const std::string& path, const paths::HostRoot& root) {
  std::string prefix = path;
  while (prefix.size() > 1 && !root.exists(prefix)) {
    prefix.resize(std::max<size_t>(prefix.rfind('/'), 1));
  }
  return prefix;
}

}  // namespace patchbay::host
