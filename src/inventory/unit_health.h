#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

/// Combines the probes and the needed paths of a unit into its health. Pure.
class UnitHealth {
 public:
  /// Faults beyond this size are only counted. The first fault is always reported.
  static constexpr size_t kMaxReasonBytes = 400;

  UnitHealth(const rules::GroupPlan& group, const UnitChecks& checks);

  /// See ProbeState; `probe` is an index into UnitChecks::probes.
  [[nodiscard]] uint64_t begin(size_t probe) { return probes_[probe].begin(); }
  ProbeState::Outcome take(size_t probe, uint64_t run, const rules::Verdict& verdict) {
    return probes_[probe].take(run, verdict);
  }
  /// Sets the faults of the paths that it needs, in their order; empty: no faults.
  void set_path_faults(std::vector<std::string> faults) { path_faults_ = std::move(faults); }

  /// All results of the probes and the paths, in the order of the configuration.
  [[nodiscard]] Health health() const;

 private:
  std::vector<ProbeState> probes_;
  std::vector<std::string> path_faults_;
};

}  // namespace patchbay::inventory
