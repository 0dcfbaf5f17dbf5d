#include "daemon/hang_log.h"

#include <utility>
#include <vector>

#include <fmt/ranges.h>

#include "base/log.h"

namespace patchbay::daemon {

void HangLog::note(const inventory::Resolution& resolution) {
  std::map<std::string, std::set<std::string>> hung;
  for (const inventory::ResolvedResource& resource : resolution.resources) {
    for (const inventory::UnresponsivePath& pending : resource.unresponsive) {
      // Paths that could not be read for lack of resources are logged elsewhere.
      if (!pending.slow && !pending.refused) hung[pending.what].insert(resource.name());
    }
  }
  for (const auto& [what, resources] : hung) {
    if (hung_.contains(what)) continue;
    log::warning(
        {"path is unresponsive: the state of its devices is unknown", log::EventKind::degraded},
        {{"path", what}, {"resources", fmt::format("{}", fmt::join(resources, " "))}});
  }
  for (const auto& [what, resources] : hung_) {
    if (hung.contains(what)) continue;
    log::info({"path is responsive again", log::EventKind::degraded},
              {{"path", what}, {"resources", fmt::format("{}", fmt::join(resources, " "))}});
  }
  hung_ = std::move(hung);
}

}  // namespace patchbay::daemon
