#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace patchbay::log {

/// Texts on their way to who reads the log, and the thread that writes them: whoever adds one never
/// waits for the reader. What does not fit is dropped and counted; when half of the room is free
/// again, the count is written where the dropped ones would have stood. Any thread.
class LogQueue {
 public:
  using Time = std::chrono::steady_clock::time_point;

  struct Hooks {
    /// Writes one text; may take as long as it likes.
    std::function<void(const std::string& text)> write;
    /// The text that says how many lines were dropped.
    std::function<std::string(size_t lines)> dropped;
    /// Is called when the time of wake_at() has come; may add texts and ask for another time.
    std::function<void()> wake;
  };

  /// `limit`: of the bytes that all texts take, the one that is being written among them.
  LogQueue(size_t limit, Hooks hooks);
  /// Writes what was added: waits for the reader.
  ~LogQueue();
  LogQueue(const LogQueue&) = delete;
  LogQueue& operator=(const LogQueue&) = delete;

  /// Whole lines. Never waits.
  void add(std::string text);

  /// Has wake() called at that time, on the writer's thread: instead of a time that was asked for
  /// before.
  void wake_at(Time at);

  /// Waits until all that was added is written. False: it was not within that time.
  [[nodiscard]] bool flush(std::chrono::milliseconds at_most);

 private:
  void run_writer();
  [[nodiscard]] bool has_work() const { return !texts_.empty() || dropped_ > 0; }
  void add_dropped_line();

  const size_t limit_;
  const Hooks hooks_;
  std::mutex mutex_;  ///< Of all below; never held while something is written.
  std::condition_variable changed_;
  std::condition_variable written_;
  std::deque<std::string> texts_;
  size_t used_ = 0;
  size_t dropped_ = 0;  ///< Lines. While there are some, all others are, too.
  bool writing_ = false;
  bool stopping_ = false;
  std::optional<Time> wake_at_;
  std::thread thread_;
};

}  // namespace patchbay::log
