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

/// Suppresses log lines with the same level, message and fields. It admits kWrittenPerWindow lines
/// from the first one on. When the window ends, it reports how many were suppressed. Pure: time is
/// passed in. One thread at a time.
class RepeatFilter {
 public:
  using Time = std::chrono::steady_clock::time_point;

  static constexpr size_t kWrittenPerWindow = 10;
  static constexpr std::chrono::seconds kWindow{10};
  /// Limits on the number of windows, and on the length of their lines. Other lines are always
  /// written.
  static constexpr size_t kMaxWindows = 256;
  static constexpr size_t kMaxRememberedBytes = 2048;

  /// A message, and how often it was suppressed. The last field is `repeated`.
  struct Repeated {
    Level level = Level::info;
    std::string message;
    std::vector<std::pair<std::string, std::string>> fields;
  };

  /// Whether to write the line.
  [[nodiscard]] bool admit(const Entry& entry, Time now);

  /// The suppressed lines of windows that have ended.
  [[nodiscard]] std::vector<Repeated> take_expired(Time now);
  /// The suppressed lines of all windows.
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

  Windows windows_;  ///< By begin.
  std::map<std::string_view, Windows::iterator> by_key_;
  std::vector<Repeated> closed_;
};

}  // namespace patchbay::log
