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

/// One past event, for later inspection.
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

/// Keeps the last log lines that are events, from level info on, even if the log omits info.
/// Bounded in number and in bytes. Thread-safe.
class Journal {
 public:
  static constexpr size_t kMaxEvents = 1000;
  /// Longer texts are cut.
  static constexpr size_t kMaxTextBytes = 300;

  /// Adds a log line if it is an event. Any thread.
  void record(const log::Entry& entry, std::chrono::system_clock::time_point at);

  /// The kept events after that number, in order.
  [[nodiscard]] std::vector<Event> after(uint64_t number) const;

 private:
  mutable std::mutex mutex_;
  std::deque<Event> events_;  // Guarded by mutex_.
  uint64_t newest_ = 0;       // Guarded by mutex_.
};

}  // namespace patchbay::status
