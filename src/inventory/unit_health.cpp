#include "inventory/unit_health.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace patchbay::inventory {
namespace {

/// Joins as many faults as fit into kMaxReasonBytes.
std::string reason_of(const std::vector<std::string>& faults) {
  std::string reason = faults.front();
  for (size_t shown = 1; shown < faults.size(); ++shown) {
    if (reason.size() + 2 + faults[shown].size() > UnitHealth::kMaxReasonBytes) {
      return fmt::format("{}; and {} more", reason, faults.size() - shown);
    }
    reason += "; " + faults[shown];
  }
  return reason;
}

}  // namespace

UnitHealth::UnitHealth(const rules::GroupPlan& group, const UnitChecks& checks) {
  for (const UnitProbe& probe : checks.probes) {
    probes_.emplace_back(group.health[probe.probe]);
  }
}

Health UnitHealth::health() const {
  std::vector<std::string> faults;
  const auto add = [&](const std::string& fault) {
    // A probe that runs for several devices can report the same fault several times.
    if (std::ranges::find(faults, fault) == faults.end()) faults.push_back(fault);
  };
  for (const ProbeState& probe : probes_) {
    if (!probe.healthy()) add(probe.reason());
  }
  std::ranges::for_each(path_faults_, add);
  if (faults.empty()) return {};
  const auto failed = std::ranges::find(probes_, false, &ProbeState::healthy);
  return {.healthy = false,
          .reason = reason_of(faults),
          .failed_probe = failed == probes_.end()
                              ? std::nullopt
                              : std::optional(static_cast<size_t>(failed - probes_.begin()))};
}

}  // namespace patchbay::inventory
