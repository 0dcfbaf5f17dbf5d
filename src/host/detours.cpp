#include "host/detours.h"

#include <utility>

namespace patchbay::host {

Detours::Change Detours::set(const std::string& path, std::set<std::string> places) {
  Change change;
  const auto known = places_.find(path);
  if (known == places_.end() && places.empty()) return change;
  const auto before = known == places_.end() ? std::set<std::string>{} : std::move(known->second);
  for (const std::string& place : places) {
    change.some_new = paths_[place].insert(path).second || change.some_new;
  }
  for (const std::string& place : before) {
    if (places.contains(place)) continue;
    const auto paths = paths_.find(place);
    paths->second.erase(path);
    if (paths->second.empty()) paths_.erase(paths);
    change.released.push_back(place);
  }
  if (places.empty()) {
    places_.erase(path);
  } else {
    places_[path] = std::move(places);
  }
  return change;
}

std::set<std::string> Detours::paths_at(const std::string& place) const {
  const auto found = paths_.find(place);
  return found == paths_.end() ? std::set<std::string>{} : found->second;
}

std::set<std::string> Detours::paths_below(const std::string& directory) const {
  std::set<std::string> below;
  for (auto place = paths_.lower_bound(directory); place != paths_.end(); ++place) {
    if (!place->first.starts_with(directory)) break;
    below.insert(place->second.begin(), place->second.end());
  }
  return below;
}

bool Detours::any_below(const std::string& directory) const {
  const auto place = paths_.lower_bound(directory);
  return place != paths_.end() && place->first.starts_with(directory);
}

}  // namespace patchbay::host
