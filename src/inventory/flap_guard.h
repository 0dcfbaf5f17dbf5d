#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <string>

#include "rules/probe.h"

namespace patchbay::inventory {

/// Notices that the health of a unit changes too often: from then on the unit counts as unhealthy
/// for a while. Pure: the caller says what time it is.
class FlapGuard {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit FlapGuard(const rules::FlapPlan& plan) : plan_(plan) {}

  /// How it is now; the first call is no change.
  void note(bool healthy, Time now);

  /// Until when the unit is held; none: it is not.
  [[nodiscard]] std::optional<Time> damped_until(Time now) const;
  /// Why it is held: "6 changes within 10m: held for 10m".
  [[nodiscard]] std::string reason() const;
  /// Nothing that happened so far matters any more.
  [[nodiscard]] bool has_expired(Time now) const;
  [[nodiscard]] const rules::FlapPlan& plan() const { return plan_; }

 private:
  rules::FlapPlan plan_;
  std::optional<bool> healthy_;
  std::deque<Time> changes_;  ///< The last ones, since it was held.
  std::optional<Time> damped_until_;
};

}  // namespace patchbay::inventory
