#include "paths/symlink_targets.h"

#include <utility>

namespace patchbay::paths {

SymlinkTargets::Change SymlinkTargets::set(const std::string& path, std::set<std::string> targets) {
  Change change;
  const auto known = targets_.find(path);
  if (known == targets_.end() && targets.empty()) return change;
  const auto before = known == targets_.end() ? std::set<std::string>{} : std::move(known->second);
  for (const std::string& target : targets) {
    change.any_added = paths_[target].insert(path).second || change.any_added;
  }
  for (const std::string& target : before) {
    if (targets.contains(target)) continue;
    const auto paths = paths_.find(target);
    paths->second.erase(path);
    if (paths->second.empty()) paths_.erase(paths);
    change.released.push_back(target);
  }
  if (targets.empty()) {
    targets_.erase(path);
  } else {
    targets_[path] = std::move(targets);
  }
  return change;
}

std::set<std::string> SymlinkTargets::paths_at(const std::string& target) const {
  const auto found = paths_.find(target);
  return found == paths_.end() ? std::set<std::string>{} : found->second;
}

std::set<std::string> SymlinkTargets::paths_below(const std::string& directory) const {
  std::set<std::string> below;
  for (auto target = paths_.lower_bound(directory); target != paths_.end(); ++target) {
    if (!target->first.starts_with(directory)) break;
    below.insert(target->second.begin(), target->second.end());
  }
  return below;
}

bool SymlinkTargets::any_below(const std::string& directory) const {
  const auto target = paths_.lower_bound(directory);
  return target != paths_.end() && target->first.starts_with(directory);
}

}  // namespace patchbay::paths
