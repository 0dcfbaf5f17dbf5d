#include "inventory/degraded.h"

namespace patchbay::inventory {

std::vector<Degraded> degraded_of(const rules::ResourcePlan& resource,
                                  const std::map<std::string, std::string>& cuts) {
  std::vector<Degraded> all;
  if (cuts.empty()) return all;
  for (size_t group = 0; group < resource.groups.size(); ++group) {
    const rules::GroupPlan& plan = resource.groups[group];
    for (rules::Role role = 0; role < plan.roles(); ++role) {
      for (const std::string& pattern : plan.matcher(role).patterns()) {
        const auto cut = cuts.find(pattern);
        if (cut != cuts.end()) all.push_back({group, pattern, cut->second});
      }
    }
  }
  return all;
}

}  // namespace patchbay::inventory
