#include "inventory/probe_state.h"

#include <utility>

namespace patchbay::inventory {

ProbeState::ProbeState(const rules::ProbePlan& probe, DecisionRule decision)
    : failure_threshold_(
          decision == DecisionRule::by_first_result ? 1 : probe.timing.failure_threshold),
      success_threshold_(
          decision == DecisionRule::by_first_result ? 1 : probe.timing.success_threshold),
      healthy_(probe.initially_healthy),
      reason_(healthy_ ? "" : "not known yet: " + probe.to_text()) {}

ProbeState::Outcome ProbeState::take(uint64_t run, const rules::Verdict& verdict) {
  if (run <= taken_) return {};
  taken_ = run;
  if (verdict.kind != rules::Verdict::Kind::cannot_run) {
    cannot_run_.clear();
    return verdict.kind == rules::Verdict::Kind::passed ? pass() : fail(verdict.reason);
  }
  std::string reason = "cannot be run: " + verdict.reason;
  const bool reported = std::exchange(cannot_run_, reason) == reason;
  Outcome outcome = fail(std::move(reason));
  outcome.cannot_run = !reported;
  return outcome;
}

ProbeState::Outcome ProbeState::pass() {
  decided_ = true;
  if (healthy_) {
    in_a_row_ = 0;
    return {};
  }
  if (++in_a_row_ < success_threshold_) return {};
  healthy_ = true;
  in_a_row_ = 0;
  reason_.clear();
  return {.changed = true};
}

ProbeState::Outcome ProbeState::fail(std::string reason) {
  const bool first = !std::exchange(decided_, true);
  if (!healthy_) {
    in_a_row_ = 0;
    if (!first) return {};
    // The unit was unhealthy only because no result was known.
    reason_ = std::move(reason);
    return {.changed = true};
  }
  if (++in_a_row_ < failure_threshold_) return {};
  healthy_ = false;
  in_a_row_ = 0;
  reason_ = std::move(reason);
  return {.changed = true};
}

}  // namespace patchbay::inventory
