#include "host/sysfs_listing.h"

#include <algorithm>
#include <utility>

#include "host/glob_walk.h"

namespace patchbay::host {

SysfsListing list_sysfs(const std::vector<std::string>& patterns, const std::string& sysfs,
                        PatternCuts* cuts) {
  SysfsListing found;
  for (const std::string& pattern : patterns) {
    GlobFound walked = walk_glob({}, pattern.ends_with('/') ? pattern : pattern + '/');
    if (cuts != nullptr) (*cuts)[pattern] = std::move(walked.cut);
    for (std::string& path : walked.paths) {
      path.pop_back();
      const auto key = HostRoot().resolve(path);
      if (key && key->starts_with(sysfs + '/')) found[*key].push_back({pattern, std::move(path)});
    }
  }
  for (auto& [key, found_by] : found) std::ranges::sort(found_by);
  return found;
}

}  // namespace patchbay::host
