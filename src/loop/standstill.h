#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "loop/turns.h"

namespace patchbay::loop {

/// Finds out which threads stand still, from what is seen of them now and then. Pure.
class Standstill {
 public:
  struct Change {
    bool stands = false;  ///< Else it goes on.
    Turns::Seen seen;     ///< What it stands, or has stood, in.
    Milliseconds lasted{};
  };

  /// What is new. Each standstill is told once, and its end.
  [[nodiscard]] std::vector<Change> look(Time now, std::span<const Turns::Seen> threads);

  /// When to look again; none: when something has been begun.
  [[nodiscard]] std::optional<Time> next() const { return next_; }

 private:
  std::map<pid_t, Turns::Seen> standing_;
  std::optional<Time> next_;
};

}  // namespace patchbay::loop
