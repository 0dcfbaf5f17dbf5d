#pragma once

#include <sys/types.h>

#include <atomic>
#include <vector>

#include "loop/event_loop.h"

namespace patchbay::loop {

/// What a thread that all else waits for is doing now, so that a Watchdog can tell when it stands
/// still. The thread itself makes and marks it; any thread may look. A mark costs a look at the
/// clock and two stores; it wakes nobody, but for one call of the kernel in kLong, and none while
/// the thread has nothing to do.
class Turns {
 public:
  /// To do one thing for so long is to stand still.
  static constexpr Milliseconds kLong = std::chrono::seconds(10);

  /// `thread` names the calling thread; it lives for ever, as all texts here.
  explicit Turns(const char* thread);
  ~Turns();
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  /// While it lives, the thread does that. One inside another takes its place for a while.
  class Turn {
   public:
    Turn(Turns& turns, const char* doing) : turns_(turns), before_(turns.doing_) {
      turns_.begin(doing);
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() { turns_.doing_ = before_; }

   private:
    Turns& turns_;
    const char* before_;
  };

  /// What a thread is doing.
  struct Seen {
    const char* thread = nullptr;
    pid_t id = 0;
    const char* doing = nullptr;  ///< Null: it waits for something to do.
    Time since{};                 ///< Began the newest thing that it has done.
  };
  /// Of all threads. Any thread.
  [[nodiscard]] static std::vector<Seen> look_at_all();

  /// Who looks has gone to sleep, and is woken by the timer: the next thing that any thread begins
  /// sets it to kLong. Call it, then look_at_all() once more. Any thread.
  static void wake_by(int timer_fd);
  /// They have set it themselves.
  static void wake_nobody();

 private:
  void begin(const char* doing);

  const char* const thread_;
  const pid_t id_;
  std::atomic<const char*> doing_{nullptr};
  std::atomic<Time::rep> since_{0};  ///< Written before doing_.
};

}  // namespace patchbay::loop
