#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "loop/thread_activity.h"

namespace patchbay::loop {

/// Detects stalled threads from occasional samples of their activity. Pure.
class StallDetector {
 public:
  struct Change {
    bool stalled = false;           ///< False: it resumed.
    ThreadActivity::Sample sample;  ///< The stalled activity.
    Milliseconds lasted{};
  };

  /// Changes since the last call. Each stall is reported once, and its end once.
  [[nodiscard]] std::vector<Change> update(Time now,
                                           std::span<const ThreadActivity::Sample> threads);

  /// When to sample again. Null: after the next activity begins.
  [[nodiscard]] std::optional<Time> next() const { return next_; }

 private:
  std::map<pid_t, ThreadActivity::Sample> stalled_;
  std::optional<Time> next_;
};

}  // namespace patchbay::loop
