#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log_line.h"

namespace patchbay::log {

/// Holds back lines that say the same again and again, in level, message and fields: of each, a few
/// are written from the first one on, and when its window of time is over, how many there were
/// besides. Pure: time is given. One thread at a time.
class RepeatFilter {
 public:
  using Time = std::chrono::steady_clock::time_point;

  static constexpr size_t kWrittenPerWindow = 10;
  static constexpr std::chrono::seconds kWindow{10};
  /// So many are remembered at a time, and only those that are not longer than that: others are
  /// written always.
  static constexpr size_t kMaxWindows = 256;
  static constexpr size_t kMaxRememberedBytes = 2048;

  /// A message, and how often it was held back. The fields have `repeated` at their end.
  struct Repeated {
    Level level = Level::info;
    std::string message;
    std::vector<std::pair<std::string, std::string>> fields;
  };

  /// Whether it is to be written.
  [[nodiscard]] bool admit(const Entry& entry, Time now);

  /// What is to be said of windows that are over.
  [[nodiscard]] std::vector<Repeated> take_expired(Time now);
  /// The same of all windows.
  [[nodiscard]] std::vector<Repeated> take_all();
  /// When take_expired() will have something to say.
  [[nodiscard]] std::optional<Time> due() const;

 private:
  struct Window {
    std::string key;
    Time begin;
    Repeated line;
    size_t count = 0;
  };
  using Windows = std::list<Window>;

  void close_oldest_window();

  Windows windows_;  ///< In the order of their beginnings.
  std::map<std::string_view, Windows::iterator> by_key_;
  std::vector<Repeated> closed_;
};

}  // namespace patchbay::log
