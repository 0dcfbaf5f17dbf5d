#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inventory/unit_checks.h"
#include "rules/plan/plan.h"
#include "rules/plan/probe.h"

namespace patchbay::inventory {

/// The state of one probe of a unit, computed from its results. The probe counts as passed until
/// the first result, which decides at once. Later, `failureThreshold` successive failures or
/// `successThreshold` successive successes change the state. Pure.
class ProbeState {
 public:
  explicit ProbeState(const rules::ProbePlan& probe);

  /// Starts a run of the probe. Pass the returned number to take() with the result.
  [[nodiscard]] uint64_t begin() { return ++begun_; }
  /// Applies the result of a run. Results of runs that began earlier than the last applied one are
  /// ignored. Returns true if the probe could not run, and the reason differs from that of the last
  /// run.
  bool take(uint64_t run, const rules::Verdict& verdict);

  [[nodiscard]] bool healthy() const { return healthy_; }
  /// Why the probe failed; empty when healthy.
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  void apply(bool passed, std::string reason);

  size_t failure_threshold_;
  size_t success_threshold_;
  bool healthy_ = true;
  bool decided_ = false;  ///< A result was applied.
  size_t in_a_row_ = 0;   ///< Successive results that contradict the current state.
  std::string reason_;
  std::string cannot_run_;  ///< Why the probe cannot run; empty if it can.
  uint64_t begun_ = 0;
  uint64_t taken_ = 0;
};

/// The health of a unit.
struct Health {
  bool healthy = true;
  /// Why it is unhealthy, "a; b; and 2 more"; empty when healthy.
  std::string reason{};
  /// Index into UnitChecks::probes of the first probe that fails; null if none fails.
  std::optional<size_t> failed_probe{};
  friend bool operator==(const Health&, const Health&) = default;
};

/// The health of the offered units, by resource of a plan, in their order. If an entry is empty,
/// all units of the resource are healthy.
using Healths = std::vector<std::vector<Health>>;

/// Combines the probes and the needed paths of a unit into its health. Pure.
class UnitHealth {
 public:
  /// Limit of Health::reason. Faults that do not fit are counted; the first is never omitted.
  static constexpr size_t kMaxReasonBytes = 400;

  UnitHealth(const rules::GroupPlan& group, const UnitChecks& checks);

  /// See ProbeState; `probe` is an index into UnitChecks::probes.
  [[nodiscard]] uint64_t begin(size_t probe) { return probes_[probe].begin(); }
  bool take(size_t probe, uint64_t run, const rules::Verdict& verdict) {
    return probes_[probe].take(run, verdict);
  }
  /// Sets the faults of the needed paths, in the order of UnitChecks::paths. Empty if there are
  /// none.
  void set_path_faults(std::vector<std::string> faults) { path_faults_ = std::move(faults); }

  /// Combines the states of the probes, in the order of the configuration, and then the paths.
  [[nodiscard]] Health health() const;

 private:
  std::vector<ProbeState> probes_;
  std::vector<std::string> path_faults_;
};

}  // namespace patchbay::inventory
