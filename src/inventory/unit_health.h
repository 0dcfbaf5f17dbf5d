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
#include "rules/plan.h"

namespace patchbay::inventory {

/// How a unit is.
struct Health {
  bool healthy = true;
  /// Why it is unhealthy, "a; b; and 2 more"; empty when healthy.
  std::string reason{};
  friend bool operator==(const Health&, const Health&) = default;
};

/// How the units are that are offered: by resource of a plan, in their order. None for a resource:
/// all of its units are healthy.
using Healths = std::vector<std::vector<Health>>;

/// Whether a unit is healthy: what its probes and the paths that it needs come to, unless it is
/// held because that changed too often. Pure: the caller says what time it is.
class UnitHealth {
 public:
  using Time = FlapGuard::Time;

  /// What goes beyond it of a reason is counted only. The first fault is always told.
  static constexpr size_t kMaxReasonBytes = 400;

  UnitHealth(const rules::GroupPlan& group, const UnitChecks& checks,
             DecisionRule decision = DecisionRule::by_threshold);

  /// The unit is offered from now on. `guard` is what take_guard() gave of the one with that id
  /// before, if its changes still matter.
  void arrive(std::unique_ptr<FlapGuard> guard, Time now);
  /// The unit is not looked at any more. Null: its changes are not counted.
  [[nodiscard]] std::unique_ptr<FlapGuard> take_guard() { return std::move(guard_); }

  /// See ProbeState; `probe` is an index into UnitChecks::probes.
  [[nodiscard]] uint64_t begin(size_t probe) { return probes_[probe].begin(); }
  ProbeState::Outcome take(size_t probe, uint64_t run, const rules::Verdict& verdict, Time now);
  /// What is wrong with the paths that it needs, in their order; empty: nothing.
  void set_path_faults(std::vector<std::string> faults, Time now);

  [[nodiscard]] Health at(Time now) const;
  /// Until when it is held; none: it is not.
  [[nodiscard]] std::optional<Time> damped_until(Time now) const;

 private:
  /// What the probes and the paths say, all of them in the order of the configuration.
  [[nodiscard]] Health undamped_health() const;
  void note(Time now);

  std::vector<ProbeState> probes_;
  std::vector<std::string> path_faults_;
  std::unique_ptr<FlapGuard> guard_;  ///< Null: changes are not counted.
  std::string fault_before_damping_;  ///< What was wrong last before it was held; empty: not known.
};

}  // namespace patchbay::inventory
