#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/log_line.h"
#include "base/words.h"

namespace patchbay::observe {

/// What happened once, for who looks later.
struct Event {
  enum class Kind {
    plugged,  ///< A unit is offered that was not.
    lost,     ///< A unit is offered no more.
    unhealthy,
    healthy,
    refused,  ///< A device is not offered, or not yet.
    allocated,
    started,        ///< Steps before a container's start began.
    not_allocated,  ///< Allocate, or the steps before a start, failed.
    registered,
    unregistered,  ///< The kubelet ended the stream, or could not be registered with.
    kubelet,       ///< It came, or went.
    reload,        ///< Another configuration holds, or was refused.
    degraded,      ///< Something is not seen, or only later.
    ready,         ///< The units of a resource are known, of which there may be none.
  };

  uint64_t number = 0;  ///< Counted from 1, without a gap.
  std::chrono::system_clock::time_point at;
  Kind kind = Kind::plugged;
  log::Level level = log::Level::info;
  std::string message;     ///< As the log says it.
  std::string resource{};  ///< Empty: of none.
  std::string unit{};      ///< Ids, with spaces between them; empty: of none.
  std::string detail{};    ///< "name=value name=value": what else the log says of it.
};

/// The last things that happened to devices and their resources: those lines of the log that tell
/// of it, whatever level the log shows. Bounded in number and in bytes. Thread-safe.
class Journal {
 public:
  static constexpr size_t kMaxEvents = 1000;
  /// What goes beyond it of one text is cut.
  static constexpr size_t kMaxTextBytes = 300;

  /// Takes a line of the log, if it is one of those. Any thread.
  void record(const log::Entry& entry, std::chrono::system_clock::time_point at);

  /// Those after that number which are still known, in order.
  [[nodiscard]] std::vector<Event> after(uint64_t number) const;
  /// Of the newest; 0: nothing happened yet.
  [[nodiscard]] uint64_t newest() const;

  /// `on_event` is called after each new one, on any thread, and must not wait; null: nobody
  /// listens. When this returns, what was there before is not called any more.
  void listen(std::function<void()> on_event);

 private:
  mutable std::mutex mutex_;
  std::deque<Event> events_;  // Guarded by mutex_.
  uint64_t newest_ = 0;       // Guarded by mutex_.
  std::mutex listener_mutex_;
  std::function<void()> on_event_;  // Guarded by listener_mutex_.
};

/// What a line of the log is in the journal; none: it is not in it.
[[nodiscard]] std::optional<Event::Kind> kind_of(std::string_view message);

/// The messages that are in it, sorted: for the test that holds that the program logs them.
[[nodiscard]] std::vector<std::string_view> journal_messages();

}  // namespace patchbay::observe

namespace patchbay {
template <>
inline constexpr std::array<std::string_view, 14> kWords<observe::Event::Kind>{
    "plugged",      "lost",       "unhealthy",    "healthy", "refused", "allocated", "started",
    "notAllocated", "registered", "unregistered", "kubelet", "reload",  "degraded",  "ready"};
}  // namespace patchbay
