#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log_line.h"

namespace patchbay::log {

/// Suppresses repeated log lines: lines with the same level, message and fields. The first line
/// opens a window of kWindow, in which kWrittenPerWindow of these lines are admitted. The filter
/// reports the number of suppressed lines when the window ends. Pure. One thread at a time.
class RepeatFilter {
 public:
  using Time = std::chrono::steady_clock::time_point;

  static constexpr size_t kWrittenPerWindow = 10;
  static constexpr std::chrono::seconds kWindow{10};
  /// Maximum number of windows. A further window ends the oldest one.
  static constexpr size_t kMaxWindows = 256;
  /// Longer lines are always admitted.
  static constexpr size_t kMaxRememberedBytes = 2048;

  /// A suppressed line. Its last field, `repeated`, is the number of suppressed repetitions.
  struct Repeated {
    Level level = Level::info;
    std::string message;
    std::vector<std::pair<std::string, std::string>> fields;
  };

  /// Whether to write the line. Counts it.
  [[nodiscard]] bool admit(const Entry& entry, Time now);

  /// Returns and removes the suppressed lines of windows that have ended.
  [[nodiscard]] std::vector<Repeated> take_expired(Time now);
  /// Ends all windows, and returns and removes their suppressed lines.
  [[nodiscard]] std::vector<Repeated> take_all();

 private:
  struct Window {
    std::string key;
    Time begin;
    Repeated line;
    size_t count = 0;
  };
  using Windows = std::list<Window>;

  void close_oldest_window();

  Windows windows_;  ///< Sorted by `begin`.
  std::map<std::string_view, Windows::iterator> by_key_;
  std::vector<Repeated> closed_;
};

}  // namespace patchbay::log
