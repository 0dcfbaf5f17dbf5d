#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "rules/probe.h"

namespace patchbay::inventory {

/// How many results of a probe decide.
enum class DecisionRule {
  by_threshold,     ///< As many in a row as the probe says.
  by_first_result,  ///< One: nothing is looked at twice.
};

/// Whether one probe of a unit holds, by its results so far. Pure.
class ProbeState {
 public:
  explicit ProbeState(const rules::ProbePlan& probe,
                      DecisionRule decision = DecisionRule::by_threshold);

  /// What a result did.
  struct Outcome {
    bool changed = false;     ///< healthy() or reason() is another now.
    bool cannot_run = false;  ///< It could not be run, for a reason that was not told yet.
  };

  /// A run begins; its number is to be given with its result.
  [[nodiscard]] uint64_t begin() { return ++begun_; }
  /// What came of a run. One that began before the last that was taken says nothing any more.
  Outcome take(uint64_t run, const rules::Verdict& verdict);

  [[nodiscard]] bool healthy() const { return healthy_; }
  /// Why it became unhealthy; empty when healthy.
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  Outcome pass();
  Outcome fail(std::string reason);

  size_t failure_threshold_;
  size_t success_threshold_;
  bool ignores_errors_;
  bool healthy_;
  bool decided_ = false;  ///< Some result counted: it is not only what the probe says initially.
  size_t in_a_row_ = 0;   ///< Results that speak against what is.
  std::string reason_;
  std::string cannot_run_;  ///< Why it cannot, as long as that is so.
  uint64_t begun_ = 0;
  uint64_t taken_ = 0;
};

}  // namespace patchbay::inventory
