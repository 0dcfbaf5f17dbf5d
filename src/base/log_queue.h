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
/// that do not fit are dropped and counted. When half of the space is free again, the count is
/// written in their position. Any thread.
class LogQueue {
 public:
  struct Hooks {
    /// Writes one text; may block.
    std::function<void(const std::string& text)> write;
    /// The text that reports the number of dropped lines.
    std::function<std::string(size_t lines)> dropped;
  };

  /// `limit`: bytes of all texts, including the one being written.
  LogQueue(size_t limit, Hooks hooks);
  /// Writes the queued texts: waits for the reader.
  ~LogQueue();
  LogQueue(const LogQueue&) = delete;
  LogQueue& operator=(const LogQueue&) = delete;

  /// Whole lines. Never waits.
  void add(std::string text);

  /// Waits until all added texts are written. False: it took longer.
  [[nodiscard]] bool flush(std::chrono::milliseconds at_most);
  /// Waits until all added texts are written, so that later output comes after them. Waits 0.1 s at
  /// most, and not at all while the reader is stuck.
  void catch_up();

 private:
  void run_writer();
  [[nodiscard]] bool has_work() const { return !texts_.empty() || dropped_ > 0; }
  void add_dropped_line();

  const size_t limit_;
  std::atomic<bool> is_stuck_ = false;  ///< The last catch_up() timed out.
  const Hooks hooks_;
  std::mutex mutex_;  ///< For all below; unlocked during writes.
  std::condition_variable changed_;
  std::condition_variable written_;
  std::deque<std::string> texts_;
  size_t used_ = 0;
  size_t dropped_ = 0;  ///< Lines. While not 0, new lines are dropped, too.
  bool writing_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace patchbay::log
