#pragma once

#include <sys/types.h>

#include <atomic>
#include <map>
#include <span>
#include <vector>

#include "loop/event_loop.h"

namespace patchbay::loop {

/// Records the current activity of a critical thread, so that a Watchdog can detect stalls. The
/// thread itself creates this object and sets the activity; any thread may read it. Setting it
/// costs a read of the clock and two stores.
class ThreadActivity {
 public:
  /// A thread with the same activity for this time is stalled.
  static constexpr Milliseconds kStallTime = std::chrono::seconds(10);

  /// `thread` names the calling thread. All texts must live as long as the process.
  explicit ThreadActivity(const char* thread);
  ~ThreadActivity();
  ThreadActivity(const ThreadActivity&) = delete;
  ThreadActivity& operator=(const ThreadActivity&) = delete;

  /// Sets the activity of the thread for a scope. A nested scope hides the outer activity.
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

  /// The activity of a thread at one time.
  struct Sample {
    const char* thread = nullptr;
    pid_t id = 0;
    const char* doing = nullptr;  ///< Null: idle.
    Time since{};                 ///< When the last activity began.
  };
  /// Samples all threads. Any thread.
  [[nodiscard]] static std::vector<Sample> sample_all();

 private:
  void begin(const char* doing);

  const char* const thread_;
  const pid_t id_;
  std::atomic<const char*> doing_{nullptr};
  std::atomic<Time::rep> since_{0};  ///< Written before doing_.
};

/// Detects stalled threads by periodic samples of their activity. Pure.
class StallDetector {
 public:
  struct Change {
    bool stalled = false;           ///< False: the thread resumed.
    ThreadActivity::Sample sample;  ///< The stalled activity.
    Milliseconds lasted{};
  };

  /// Returns the changes since the last call. Each stall is returned once, and its end once.
  [[nodiscard]] std::vector<Change> update(Time now,
                                           std::span<const ThreadActivity::Sample> threads);

 private:
  std::map<pid_t, ThreadActivity::Sample> stalled_;
};

}  // namespace patchbay::loop
