#pragma once

#include <sys/types.h>

#include <atomic>
#include <vector>

#include "loop/event_loop.h"

namespace patchbay::loop {

/// What a thread that all else waits for is doing now, so that a Watchdog can tell when it stands
/// still. The thread itself makes and marks it; any thread may look. A mark costs a look at the
/// clock and two stores; it wakes nobody, but for one call of the kernel in kStallTime, and none
/// while the thread has nothing to do.
class ThreadActivity {
 public:
  /// To do one thing for so long is to stand still.
  static constexpr Milliseconds kStallTime = std::chrono::seconds(10);

  /// `thread` names the calling thread; it lives for ever, as all texts here.
  explicit ThreadActivity(const char* thread);
  ~ThreadActivity();
  ThreadActivity(const ThreadActivity&) = delete;
  ThreadActivity& operator=(const ThreadActivity&) = delete;

  /// While it lives, the thread does that. One inside another takes its place for a while.
  class ScopedActivity {
   public:
    ScopedActivity(ThreadActivity& activity, const char* doing)
        : activity_(activity), before_(activity.doing_) {
      activity_.begin(doing);
    }
    ScopedActivity(const ScopedActivity&) = delete;
    ScopedActivity& operator=(const ScopedActivity&) = delete;
    ~ScopedActivity() { activity_.doing_ = before_; }

   private:
    ThreadActivity& activity_;
    const char* before_;
  };

  /// What a thread is doing.
  struct Sample {
    const char* thread = nullptr;
    pid_t id = 0;
    const char* doing = nullptr;  ///< Null: it waits for something to do.
    Time since{};                 ///< Began the newest thing that it has done.
  };
  /// Of all threads. Any thread.
  [[nodiscard]] static std::vector<Sample> sample_all();

  /// Who looks has gone to sleep, and is woken by the timer: the next thing that any thread begins
  /// sets it to kStallTime. Call it, then sample_all() once more. Any thread.
  static void arm_wake_timer(int timer_fd);
  /// They have set it themselves.
  static void disarm_wake_timer();

 private:
  void begin(const char* doing);

  const char* const thread_;
  const pid_t id_;
  std::atomic<const char*> doing_{nullptr};
  std::atomic<Time::rep> since_{0};  ///< Written before doing_.
};

}  // namespace patchbay::loop
