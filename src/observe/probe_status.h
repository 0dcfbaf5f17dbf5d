#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

#include "rules/probe.h"

namespace patchbay::observe {

/// What came of one run of a probe.
struct ProbeResult {
  rules::Verdict verdict;
  std::chrono::steady_clock::time_point at;  ///< When it ended.
  std::chrono::nanoseconds lasted{};
};

/// How one probe of a unit does.
struct ProbeStatus {
  size_t probe = 0;                 ///< Index into rules::GroupPlan::health.
  std::optional<ProbeResult> last;  ///< None: no run has ended yet.
  /// Since when it runs; none: it does not.
  std::optional<std::chrono::steady_clock::time_point> runs_since;
  bool late = false;  ///< It has been due for longer than its period, and does not run.
};

/// Of one unit, in the order of the configuration.
using UnitProbes = std::vector<ProbeStatus>;

/// Of all units of a resource.
struct ProbesStatus {
  size_t running = 0;
  size_t late = 0;
  /// In the order of the resource's units in Snapshot::units; empty: they were not asked for.
  std::vector<UnitProbes> units;
};

}  // namespace patchbay::observe
