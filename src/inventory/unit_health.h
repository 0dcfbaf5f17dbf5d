#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inventory/flap_guard.h"
#include "inventory/probe_state.h"
#include "inventory/unit_checks.h"
#include "rules/plan/plan.h"

namespace patchbay::inventory {

/// The health of a unit.
struct Health {
  bool healthy = true;
  /// Why it is unhealthy, "a; b; and 2 more"; empty when healthy.
  std::string reason{};
  /// Index into UnitChecks::probes of the first probe that fails; null: no probe.
  std::optional<size_t> failed_probe{};
  friend bool operator==(const Health&, const Health&) = default;
};

/// The health of the offered units, by resource of a plan, in their order. An empty entry: all
/// units of the resource are healthy.
using Healths = std::vector<std::vector<Health>>;

/// Combines the probes and the needed paths of a unit into its health. Damps a unit whose health
/// changes too often. Pure: the caller passes the time.
class UnitHealth {
 public:
  using Time = FlapGuard::Time;

  /// Faults beyond this size are only counted. The first fault is always reported.
  static constexpr size_t kMaxReasonBytes = 400;

  UnitHealth(const rules::GroupPlan& group, const UnitChecks& checks,
             DecisionRule decision = DecisionRule::by_threshold);

  /// Call when the unit is newly offered. `guard` is the result of take_guard() of the previous
  /// unit with that id, if its changes still matter.
  void arrive(std::unique_ptr<FlapGuard> guard, Time now);
  /// Call when the unit is no longer checked. Null: its changes are not counted.
  [[nodiscard]] std::unique_ptr<FlapGuard> take_guard() { return std::move(guard_); }

  /// See ProbeState; `probe` is an index into UnitChecks::probes.
  [[nodiscard]] uint64_t begin(size_t probe) { return probes_[probe].begin(); }
  ProbeState::Outcome take(size_t probe, uint64_t run, const rules::Verdict& verdict, Time now);
  /// Sets the faults of the paths that it needs, in their order; empty: no faults.
  void set_path_faults(std::vector<std::string> faults, Time now);

  [[nodiscard]] Health at(Time now) const;
  /// The end of the damping; null: the unit is not damped.
  [[nodiscard]] std::optional<Time> damped_until(Time now) const;

 private:
  /// All results of the probes and the paths, in the order of the configuration.
  [[nodiscard]] Health undamped_health() const;
  void note(Time now);

  std::vector<ProbeState> probes_;
  std::vector<std::string> path_faults_;
  std::unique_ptr<FlapGuard> guard_;  ///< Null: changes are not counted.
  std::string fault_before_damping_;  ///< The last fault before the damping; empty: unknown.
};

}  // namespace patchbay::inventory
