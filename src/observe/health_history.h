#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <string_view>
#include <vector>

#include "base/words.h"

namespace patchbay::observe {

/// How the units of a resource were over the last day, in pieces of a quarter of an hour: of each
/// the worst that was in it. It takes as much memory on a quiet day as on a bad one. Pure: the
/// caller says what time it is, on a clock that only goes on.
class HealthHistory {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::minutes kInterval{15};
  static constexpr size_t kIntervals = 96;

  /// From what is best to what is worst.
  enum class State {
    unknown,  ///< Nothing was told of it yet.
    healthy,  ///< All units were.
    none,     ///< There was no unit.
    some,     ///< Some units were unhealthy.
    bad,      ///< All units were.
  };

  /// From now on there are so many units, of which so many are healthy.
  void note(size_t units, size_t healthy, Time now);

  /// Pieces that follow each other and were alike.
  struct Span {
    Time from;  ///< Until where the next begins; of the last, until now.
    State state = State::unknown;
    friend bool operator==(const Span&, const Span&) = default;
  };
  /// Of the last day, oldest first; the first begins when the first state was noted, or a day ago.
  [[nodiscard]] std::vector<Span> spans(Time now) const;

 private:
  [[nodiscard]] static long interval_of(Time time) { return time.time_since_epoch() / kInterval; }
  void advance_to(long interval);

  State current_ = State::unknown;
  long newest_ = 0;  ///< Number of the interval in which something was noted last.
  Time first_{};     ///< When something was noted first.
  std::array<State, kIntervals> worst_{};  ///< By number of the interval, modulo kIntervals.
};

}  // namespace patchbay::observe

namespace patchbay {
template <>
inline constexpr std::array<std::string_view, 5> kWords<observe::HealthHistory::State>{
    "unknown", "healthy", "none", "some", "bad"};
}  // namespace patchbay
