#include "inventory/unit_health.h"

#include <algorithm>
#include <utility>

namespace patchbay::inventory {

UnitHealth::UnitHealth(const rules::GroupPlan& group, const UnitChecks& checks, Deciding deciding)
    : flap_(group.flap) {
  for (const UnitProbe& probe : checks.probes) {
    probes_.emplace_back(group.health[probe.probe], deciding);
  }
}

void UnitHealth::arrive(std::optional<FlapGuard> guard, Time now) {
  if (!flap_) return;
  const bool same = guard && guard->plan() == *flap_;
  guard_ = same ? std::move(guard) : FlapGuard(*flap_);
  note(now);
}

ProbeState::Outcome UnitHealth::take(size_t probe, uint64_t run, const rules::Verdict& verdict,
                                     Time now) {
  const ProbeState::Outcome outcome = probes_[probe].take(run, verdict);
  note(now);
  return outcome;
}

void UnitHealth::set_path_fault(std::string fault, Time now) {
  path_fault_ = std::move(fault);
  note(now);
}

Health UnitHealth::at(Time now) const {
  if (held_until(now)) return {.healthy = false, .reason = guard_->reason()};
  return unguarded();
}

std::optional<UnitHealth::Time> UnitHealth::held_until(Time now) const {
  return guard_ ? guard_->held_until(now) : std::nullopt;
}

Health UnitHealth::unguarded() const {
  if (!path_fault_.empty()) return {.healthy = false, .reason = path_fault_};
  const auto failed =
      std::ranges::find_if(probes_, [](const ProbeState& probe) { return !probe.healthy(); });
  if (failed == probes_.end()) return {};
  return {.healthy = false, .reason = failed->reason()};
}

void UnitHealth::note(Time now) {
  if (guard_) guard_->note(unguarded().healthy, now);
}

}  // namespace patchbay::inventory
