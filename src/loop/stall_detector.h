#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "loop/thread_activity.h"

namespace patchbay::loop {

/// Finds out which threads stand still, from what is seen of them now and then. Pure.
class StallDetector {
 public:
  struct Change {
    bool stalled = false;           ///< Else it goes on.
    ThreadActivity::Sample sample;  ///< What it stands, or has stood, in.
    Milliseconds lasted{};
  };

  /// What is new. Each standstill is told once, and its end.
  [[nodiscard]] std::vector<Change> update(Time now,
                                           std::span<const ThreadActivity::Sample> threads);

  /// When to look again; none: when something has been begun.
  [[nodiscard]] std::optional<Time> next() const { return next_; }

 private:
  std::map<pid_t, ThreadActivity::Sample> stalled_;
  std::optional<Time> next_;
};

}  // namespace patchbay::loop
