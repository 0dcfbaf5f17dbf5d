#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/log_line.h"

namespace patchbay::status {

/// One past event of the daemon, such as an added unit.
struct Event {
  using Kind = log::EventKind;

  uint64_t number = 0;  ///< From 1, without gaps.
  std::chrono::system_clock::time_point at;
  Kind kind = Kind::unit_added;
  log::Level level = log::Level::info;
  std::string message;     ///< The message of the log line.
  std::string resource{};  ///< Empty: no resource.
  std::string unit{};      ///< Ids separated by commas; empty: no unit.
  std::string detail{};    ///< "name=value name=value": the other fields of the log line.
};

/// Keeps the last events. An event is a log line with an EventKind and at least the level info,
/// even if the log omits that level. The number and size of the events are limited. Thread-safe.
class Journal {
 public:
  static constexpr size_t kMaxEvents = 1000;
  /// Longer texts are truncated.
  static constexpr size_t kMaxTextBytes = 300;

  /// Adds a log line if it is an event. Any thread.
  void record(const log::Entry& entry, std::chrono::system_clock::time_point at);

  /// Returns the kept events with a higher number, in order.
  [[nodiscard]] std::vector<Event> after(uint64_t number) const;

 private:
  mutable std::mutex mutex_;
  std::deque<Event> events_;  // Guarded by mutex_.
  uint64_t newest_ = 0;       // Guarded by mutex_.
};

}  // namespace patchbay::status
