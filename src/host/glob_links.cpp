#include "host/glob_links.h"

namespace patchbay::host {

GlobLinks::~GlobLinks() {
  for (const std::string& link : links_) paths_.drop(link, *this);
}

void GlobLinks::path_checked(const std::string& path, bool is_link) {
  if (!is_link) {
    if (links_.erase(path) > 0) paths_.drop(path, *this);
    return;
  }
  if (!links_.insert(path).second) return;
  // Another listener follows the path already, so earlier changes were reported only to that one.
  if (paths_.reports_all_changes(path)) path_event(path);
  paths_.follow(path, *this);
}

std::vector<std::string> GlobLinks::below(const std::string& directory) const {
  std::vector<std::string> found;
  const std::string prefix = directory + '/';
  for (auto it = links_.lower_bound(prefix); it != links_.end(); ++it) {
    if (!it->starts_with(prefix)) break;
    found.push_back(*it);
  }
  return found;
}

}  // namespace patchbay::host
