#include "daemon/silence_log.h"

#include <utility>
#include <vector>

#include <fmt/ranges.h>

#include "base/log.h"

namespace patchbay::daemon {

void SilenceLog::note(const inventory::Resolution& resolution) {
  std::map<std::string, std::set<std::string>> silent;
  for (const inventory::ResolvedResource& resource : resolution.resources) {
    for (const inventory::UnresponsivePath& pending : resource.unresponsive) {
      // Of what cannot be read it is said for all.
      if (!pending.slow && !pending.refused) silent[pending.what].insert(resource.name());
    }
  }
  for (const auto& [what, resources] : silent) {
    if (silent_.contains(what)) continue;
    log::warning("a path does not answer: what is behind it is not known",
                 {{"path", what}, {"resources", fmt::format("{}", fmt::join(resources, " "))}});
  }
  for (const auto& [what, resources] : silent_) {
    if (silent.contains(what)) continue;
    log::info("a path answers again",
              {{"path", what}, {"resources", fmt::format("{}", fmt::join(resources, " "))}});
  }
  silent_ = std::move(silent);
}

}  // namespace patchbay::daemon
