#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/log_line.h"
#include "base/words.h"

namespace patchbay::status {

/// One past event, for later inspection.
struct Event {
  enum class Kind {
    unit_added,    ///< A unit is newly offered.
    unit_removed,  ///< A unit is no longer offered.
    unhealthy,
    healthy,
    refused,  ///< A device or resource is not offered, or a connection was refused.
    allocated,
    pre_start,        ///< The preStart steps are done.
    allocate_failed,  ///< Allocate, or the steps before a start, failed.
    registered,
    unregistered,  ///< The stream ended, the registration failed, or the instance is on standby.
    kubelet,       ///< The kubelet appeared or disappeared.
    reload,        ///< A configuration was applied, rejected or not readable.
    degraded,      ///< A rule, unit or part of the daemon is impaired, or works again.
    ready,         ///< The units of a resource are known; there may be none.
  };

  uint64_t number = 0;  ///< From 1, without gaps.
  std::chrono::system_clock::time_point at;
  Kind kind = Kind::unit_added;
  log::Level level = log::Level::info;
  std::string message;     ///< The message of the log line.
  std::string resource{};  ///< Empty: no resource.
  std::string unit{};      ///< Ids separated by spaces; empty: no unit.
  std::string detail{};    ///< "name=value name=value": the other fields of the log line.
};

/// Keeps the last log lines that kind_of() knows, from level info on, even if the log omits info.
/// Bounded in number and in bytes. Thread-safe.
class Journal {
 public:
  static constexpr size_t kMaxEvents = 1000;
  /// Longer texts are cut.
  static constexpr size_t kMaxTextBytes = 300;

  /// Adds a log line if it belongs in the journal. Any thread.
  void record(const log::Entry& entry, std::chrono::system_clock::time_point at);

  /// The kept events after that number, in order.
  [[nodiscard]] std::vector<Event> after(uint64_t number) const;

 private:
  mutable std::mutex mutex_;
  std::deque<Event> events_;  // Guarded by mutex_.
  uint64_t newest_ = 0;       // Guarded by mutex_.
};

/// The kind of a log message in the journal; null: the journal omits it.
[[nodiscard]] std::optional<Event::Kind> kind_of(std::string_view message);

/// The messages in the journal, sorted. A test compares them with the log lines of the program.
[[nodiscard]] std::vector<std::string_view> journal_messages();

}  // namespace patchbay::status

namespace patchbay {
template <>
inline constexpr std::array<std::string_view, 14> kWords<status::Event::Kind>{
    "unitAdded",      "unitRemoved", "unhealthy",    "healthy", "refused", "allocated", "preStart",
    "allocateFailed", "registered",  "unregistered", "kubelet", "reload",  "degraded",  "ready"};
}  // namespace patchbay
