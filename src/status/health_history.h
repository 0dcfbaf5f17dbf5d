#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <string_view>
#include <vector>

#include "base/words.h"

namespace patchbay::status {

/// Records the health of a resource's units over the last day. Each interval of 15 minutes has the
/// worst state that was noted in it. Memory is constant. Pure: the caller passes the time, from a
/// monotonic clock.
class HealthHistory {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::minutes kInterval{15};
  static constexpr size_t kIntervals = 96;

  /// From best to worst.
  enum class State {
    unknown,    ///< Nothing was noted yet.
    healthy,    ///< All units were healthy.
    none,       ///< The resource had no unit.
    degraded,   ///< Some units were unhealthy.
    unhealthy,  ///< All units were unhealthy.
  };

  /// Records the numbers of units and of healthy units from now on.
  void note(size_t units, size_t healthy, Time now);

  /// Successive intervals with the same state.
  struct Span {
    Time from;  ///< The end is the start of the next span; the last one ends now.
    State state = State::unknown;
    friend bool operator==(const Span&, const Span&) = default;
  };
  /// The spans of the last day, oldest first. The first begins at the first note, or a day ago.
  [[nodiscard]] std::vector<Span> spans(Time now) const;

 private:
  [[nodiscard]] static long interval_of(Time time) { return time.time_since_epoch() / kInterval; }
  void advance_to(long interval);

  State current_ = State::unknown;
  long newest_ = 0;                        ///< Number of the last interval with a note.
  Time first_{};                           ///< Time of the first note.
  std::array<State, kIntervals> worst_{};  ///< By number of the interval, modulo kIntervals.
};

}  // namespace patchbay::status

namespace patchbay {
template <>
inline constexpr std::array<std::string_view, 5> kWords<status::HealthHistory::State>{
    "unknown", "healthy", "none", "degraded", "unhealthy"};
}  // namespace patchbay
