#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

#include "rules/plan/probe.h"

namespace patchbay::status {

/// The result of one run of a probe.
struct ProbeResult {
  rules::Verdict verdict;
  std::chrono::steady_clock::time_point at;  ///< End of the run.
  std::chrono::nanoseconds lasted{};
};

/// The state of one probe of a unit.
struct ProbeStatus {
  size_t probe = 0;                 ///< Index into rules::GroupPlan::health.
  std::optional<ProbeResult> last;  ///< Null: no run has ended yet.
  /// Start of the current run; null: it is not running.
  std::optional<std::chrono::steady_clock::time_point> runs_since;
  bool late = false;  ///< It is overdue by more than its period and not running.
};

/// The probes of one unit, in the order of the configuration.
using UnitProbes = std::vector<ProbeStatus>;

/// The probes of all units of a resource.
struct ProbesStatus {
  size_t running = 0;
  size_t late = 0;
  /// In the order of Snapshot::units. Empty: not requested.
  std::vector<UnitProbes> units;
};

}  // namespace patchbay::status
