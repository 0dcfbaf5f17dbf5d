#include "host/sysfs_listing.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include "host/glob_walk.h"

namespace patchbay::host {

SysfsListing list_sysfs(const std::vector<std::string>& patterns, const std::string& sysfs,
                        PatternCuts* cuts) {
  SysfsListing found;
  for (const std::string& pattern : patterns) {
    GlobFound walked = walk_glob(pattern.ends_with('/') ? pattern : pattern + '/');
    if (cuts != nullptr) (*cuts)[pattern] = std::move(walked.cut);
    for (std::string& path : walked.paths) {
      path.pop_back();
      const std::string key = canonical_path(path);
      if (key.starts_with(sysfs + '/')) found[key].push_back({pattern, std::move(path)});
    }
  }
  for (auto& [key, found_by] : found) std::ranges::sort(found_by);
  return found;
}

std::string canonical_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
  return real ? real.get() : "";
}

}  // namespace patchbay::host
