#pragma once

#include <functional>
#include <optional>

#include "health/check_queue.h"
#include "health/check_runner.h"
#include "loop/event_loop.h"
#include "model/check.h"

namespace patchbay::health {

/// The next run: a period after the last one began, with a jitter of an eighth. If that time is
/// past, a period after the last one ended. Times are on a grid, so that many checks share one
/// wake-up. `random` is from 0 up to 1. Pure.
[[nodiscard]] loop::Time next_run(loop::Time began, loop::Time ended, loop::Milliseconds period,
                                  double random);

/// The time until `due`, rounded up for the loop. Pure.
[[nodiscard]] loop::Milliseconds time_until(loop::Time due, loop::Time now);

/// Runs one check at its period, and at once after an event; never twice at a time. Loop thread.
class RepeatedCheck {
 public:
  /// Shared by all checks; outlives them.
  struct Context {
    loop::EventLoop& loop;
    CheckQueue& queue;
    std::function<double()> random;  ///< From 0 up to 1.
    bool once = false;               ///< Each check runs only once.
    std::function<void()> on_ended;  ///< A run of a check has ended.
  };
  /// The reason of a run.
  enum class Trigger {
    file_changed,  ///< A file that it reads changed: an equal result is ignored.
    other,         ///< It is due, or its device had an event.
  };
  struct Callbacks {
    std::function<void()> begun;
    std::function<void(const CheckResult&, Trigger)> done;
  };

  /// `check` outlives this.
  RepeatedCheck(const Context& context, const Check& check, loop::Milliseconds period,
                Callbacks callbacks);
  RepeatedCheck(const RepeatedCheck&) = delete;
  RepeatedCheck& operator=(const RepeatedCheck&) = delete;

  /// Runs now, first and after an event. If a run is in progress, one more follows it.
  void run_now(Trigger trigger);
  /// When the last run began.
  [[nodiscard]] loop::Time began() const { return began_; }
  [[nodiscard]] bool running() const { return state_ == State::running; }
  /// Whether it has waited in the queue for longer than its period.
  [[nodiscard]] bool is_overdue(loop::Time now) const {
    return state_ == State::queued && now - queued_ > period_;
  }

 private:
  enum class State { idle, queued, running };

  void enqueue(Trigger trigger);
  void begun();
  void done(const CheckResult& result);
  void schedule(loop::Time due);

  const Context& context_;
  const Check& check_;
  loop::Milliseconds period_;
  Callbacks callbacks_;
  State state_ = State::idle;
  Trigger trigger_ = Trigger::other;
  std::optional<Trigger> again_;
  loop::Time queued_{};  ///< When it was last queued.
  loop::Time began_{};
  loop::Subscription timer_;
  loop::Subscription queue_entry_;  ///< Its entry in the queue.
};

}  // namespace patchbay::health
