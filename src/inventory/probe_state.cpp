#include "inventory/probe_state.h"

#include <utility>

namespace patchbay::inventory {

ProbeState::ProbeState(const rules::ProbePlan& probe)
    : failure_threshold_(probe.timing.failure_threshold),
      success_threshold_(probe.timing.success_threshold) {}

ProbeState::Outcome ProbeState::take(uint64_t run, const rules::Verdict& verdict) {
  if (run <= taken_) return {};
  taken_ = run;
  if (verdict.kind != rules::Verdict::Kind::cannot_run) {
    cannot_run_.clear();
    return apply(verdict.kind == rules::Verdict::Kind::passed, verdict.reason);
  }
  std::string reason = "cannot be run: " + verdict.reason;
  const bool reported = std::exchange(cannot_run_, reason) == reason;
  Outcome outcome = apply(false, std::move(reason));
  outcome.cannot_run = !reported;
  return outcome;
}

ProbeState::Outcome ProbeState::apply(bool passed, std::string reason) {
  const bool is_first = !std::exchange(decided_, true);
  if (passed == healthy_) {
    in_a_row_ = 0;
    return {};
  }
  const size_t threshold = passed ? success_threshold_ : failure_threshold_;
  if (++in_a_row_ < threshold && !is_first) return {};
  healthy_ = passed;
  in_a_row_ = 0;
  reason_ = std::move(reason);
  return {.changed = true};
}

}  // namespace patchbay::inventory
