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

ProbeState::ProbeState(const rules::ProbePlan& probe)
    : failure_threshold_(probe.timing.failure_threshold),
      success_threshold_(probe.timing.success_threshold) {}

bool ProbeState::take(uint64_t run, const rules::Verdict& verdict) {
  if (run <= taken_) return false;
  taken_ = run;
  if (verdict.kind != rules::Verdict::Kind::cannot_run) {
    cannot_run_.clear();
    apply(verdict.kind == rules::Verdict::Kind::passed, verdict.reason);
    return false;
  }
  std::string reason = "cannot be run: " + verdict.reason;
  const bool reported = std::exchange(cannot_run_, reason) == reason;
  apply(false, std::move(reason));
  return !reported;
}

void ProbeState::apply(bool passed, std::string reason) {
  const bool is_first = !std::exchange(decided_, true);
  if (passed == healthy_) {
    in_a_row_ = 0;
    return;
  }
  const size_t threshold = passed ? success_threshold_ : failure_threshold_;
  if (++in_a_row_ < threshold && !is_first) return;
  healthy_ = passed;
  in_a_row_ = 0;
  reason_ = std::move(reason);
}

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
