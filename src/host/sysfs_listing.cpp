#include "host/sysfs_listing.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include "host/glob_paths.h"

namespace patchbay::host {

SysfsListing list_sysfs(const std::vector<std::string>& patterns, const std::string& sysfs) {
  SysfsListing found;
  for (const std::string& pattern : patterns) {
    for (std::string path : glob_paths(pattern.ends_with('/') ? pattern : pattern + '/')) {
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
