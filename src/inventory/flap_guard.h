#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <string>

#include "rules/plan/probe.h"

namespace patchbay::inventory {

/// Damps a unit that changes its health too often: the unit is unhealthy for a fixed time. Pure:
/// the caller passes the time.
class FlapGuard {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit FlapGuard(const rules::FlapPlan& plan) : plan_(plan) {}

  /// Records the current health. The first call is not a change.
  void note(bool healthy, Time now);

  /// The end of the damping; null: the unit is not damped.
  [[nodiscard]] std::optional<Time> damped_until(Time now) const;
  /// Why it is damped: "6 changes within 10m: held for 10m".
  [[nodiscard]] std::string reason() const;
  /// Whether no recorded change can matter any more.
  [[nodiscard]] bool has_expired(Time now) const;
  [[nodiscard]] const rules::FlapPlan& plan() const { return plan_; }

 private:
  rules::FlapPlan plan_;
  std::optional<bool> healthy_;
  std::deque<Time> changes_;  ///< The latest changes since the last damping.
  std::optional<Time> damped_until_;
};

}  // namespace patchbay::inventory
