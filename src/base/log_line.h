#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/words.h"

/// Formats lines of the log. Pure.
namespace patchbay::log {

enum class Level { debug, info, warning, error };
enum class Format { text, json };

/// The kind of an event. Events are the log lines that the daemon keeps for `patchbay events`.
enum class EventKind {
  unit_added,    ///< The list of a resource has a new unit.
  unit_removed,  ///< A unit left the list.
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

/// The text of a log line. A line with an EventKind is also an event.
struct Message {
  template <std::convertible_to<std::string_view> Text>
  Message(const Text& message, std::optional<EventKind> kind = {}) : text(message), event(kind) {}

  std::string_view text;
  std::optional<EventKind> event;
};

/// The name and the value of a field. The value may contain any bytes, which are escaped.
using Field = std::pair<std::string_view, std::string>;
using Fields = std::initializer_list<Field>;

/// The content of one log line.
struct Entry {
  Level level = Level::info;
  std::string_view message;
  std::span<const Field> fields{};
  std::optional<EventKind> event{};
};

/// Formats log lines with line ends. One thread at a time: it caches the text of the last second.
class LineMaker {
 public:
  /// `colored` adds terminal colours to the level in text lines.
  explicit LineMaker(Format format, bool colored = false);
  ~LineMaker();
  LineMaker(LineMaker&&) noexcept;
  LineMaker& operator=(LineMaker&&) noexcept;

  [[nodiscard]] std::string line(const Entry& entry, std::chrono::system_clock::time_point at);

 private:
  struct Pattern;
  std::unique_ptr<Pattern> pattern_;  ///< Null: JSON.
};

}  // namespace patchbay::log

namespace patchbay {
template <>
inline constexpr std::array<std::string_view, 4> kWords<log::Level>{"debug", "info", "warning",
                                                                    "error"};
template <>
inline constexpr std::array<std::string_view, 14> kWords<log::EventKind>{
    "unitAdded",      "unitRemoved", "unhealthy",    "healthy", "refused", "allocated", "preStart",
    "allocateFailed", "registered",  "unregistered", "kubelet", "reload",  "degraded",  "ready"};
}  // namespace patchbay
