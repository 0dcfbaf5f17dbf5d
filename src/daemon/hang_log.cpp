#include "daemon/hang_log.h"

#include <utility>
#include <vector>

#include <fmt/ranges.h>

#include "base/log.h"

namespace patchbay::daemon {

void HangLog::note(const inventory::Resolution& resolution) {
  std::map<std::string, std::set<std::string>> unresponsive;
  for (const inventory::ResolvedResource& resource : resolution.resources) {
    for (const inventory::UnresponsivePath& path : resource.unresponsive) {
      // Paths that could not be read for lack of resources are logged elsewhere.
      if (!path.slow && !path.refused) unresponsive[path.what].insert(resource.name());
    }
  }
  for (const auto& [what, resources] : unresponsive) {
    if (unresponsive_.contains(what)) continue;
    log::warning(
        {"path is unresponsive: the state of its devices is unknown", log::EventKind::degraded},
        {{"path", what}, {"resources", fmt::format("{}", fmt::join(resources, " "))}});
  }
  for (const auto& [what, resources] : unresponsive_) {
    if (unresponsive.contains(what)) continue;
    log::info({"path is responsive again", log::EventKind::degraded},
              {{"path", what}, {"resources", fmt::format("{}", fmt::join(resources, " "))}});
  }
  unresponsive_ = std::move(unresponsive);
}

}  // namespace patchbay::daemon
