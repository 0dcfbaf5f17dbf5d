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

UnitHealth::UnitHealth(const rules::GroupPlan& group, const UnitChecks& checks,
                       DecisionRule decision) {
  if (group.flap) guard_ = std::make_unique<FlapGuard>(*group.flap);
  for (const UnitProbe& probe : checks.probes) {
    probes_.emplace_back(group.health[probe.probe], decision);
  }
}

void UnitHealth::arrive(std::unique_ptr<FlapGuard> guard, Time now) {
  if (guard && guard_ && guard->plan() == guard_->plan()) guard_ = std::move(guard);
  note(now);
}

ProbeState::Outcome UnitHealth::take(size_t probe, uint64_t run, const rules::Verdict& verdict,
                                     Time now) {
  const ProbeState::Outcome outcome = probes_[probe].take(run, verdict);
  note(now);
  return outcome;
}

void UnitHealth::set_path_faults(std::vector<std::string> faults, Time now) {
  path_faults_ = std::move(faults);
  note(now);
}

Health UnitHealth::at(Time now) const {
  if (!damped_until(now)) return undamped_health();
  // The current faults are omitted, because they change too often.
  const std::string last = fault_before_damping_.empty() ? "" : "; last: " + fault_before_damping_;
  return {.healthy = false, .reason = guard_->reason() + last};
}

std::optional<UnitHealth::Time> UnitHealth::damped_until(Time now) const {
  return guard_ ? guard_->damped_until(now) : std::nullopt;
}

Health UnitHealth::undamped_health() const {
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

void UnitHealth::note(Time now) {
  if (!guard_) return;
  const Health health = undamped_health();
  if (!health.healthy && !damped_until(now)) fault_before_damping_ = health.reason;
  guard_->note(health.healthy, now);
}

}  // namespace patchbay::inventory
