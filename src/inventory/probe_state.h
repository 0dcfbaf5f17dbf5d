#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "rules/plan/probe.h"

namespace patchbay::inventory {

/// Decides from its results whether one probe of a unit passes. It passes until the first result,
/// which decides at once. Later the probe's thresholds of successive results decide. Pure.
class ProbeState {
 public:
  explicit ProbeState(const rules::ProbePlan& probe);

  /// The effect of a result.
  struct Outcome {
    bool changed = false;     ///< healthy() or reason() changed.
    bool cannot_run = false;  ///< The probe could not run, for a reason that was not reported yet.
  };

  /// Starts a run. Pass the returned number to take() with the result.
  [[nodiscard]] uint64_t begin() { return ++begun_; }
  /// Applies the result of a run. Results of runs that began earlier than the last applied one are
  /// ignored.
  Outcome take(uint64_t run, const rules::Verdict& verdict);

  [[nodiscard]] bool healthy() const { return healthy_; }
  /// Why the probe failed; empty when healthy.
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  Outcome apply(bool passed, std::string reason);

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

}  // namespace patchbay::inventory
