#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace patchbay::log {

/// Queues log texts for a thread that writes them, so that callers never wait for the reader. Texts
/// that do not fit are dropped and counted. When half of the space is free again, one line reports
/// the number of dropped lines. Any thread.
class LogQueue {
 public:
  struct Hooks {
    /// Writes one text; may block.
    std::function<void(const std::string& text)> write;
    /// Returns a text that reports the number of dropped lines.
    std::function<std::string(size_t lines)> dropped;
  };

  /// `limit`: maximum memory of all texts in bytes, including the one being written.
  LogQueue(size_t limit, Hooks hooks);
  /// Waits until all queued texts are written.
  ~LogQueue();
  LogQueue(const LogQueue&) = delete;
  LogQueue& operator=(const LogQueue&) = delete;

  /// Adds a text of whole lines. Never waits.
  void add(std::string text);

  /// Waits until all added texts are written. Returns false if that takes longer than `at_most`.
  [[nodiscard]] bool flush(std::chrono::milliseconds at_most);
  /// Waits at most 0.1 s until all added texts are written, so that later output comes after them.
  /// If the previous call timed out, this call does not wait.
  void catch_up();

 private:
  void run_writer();
  [[nodiscard]] bool has_work() const { return !texts_.empty() || dropped_ > 0; }
  void add_dropped_line();

  const size_t limit_;
  std::atomic<bool> is_stuck_ = false;  ///< The last catch_up() timed out.
  const Hooks hooks_;
  std::mutex mutex_;  ///< For all members below; unlocked during writes.
  std::condition_variable changed_;
  std::condition_variable written_;
  std::deque<std::string> texts_;
  size_t used_ = 0;
  size_t dropped_ = 0;  ///< Number of lines. While it is not 0, new lines are dropped, too.
  bool writing_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace patchbay::log
