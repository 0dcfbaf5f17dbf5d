#pragma once

#include <functional>
#include <optional>

#include "health/check_queue.h"
#include "health/check_runner.h"
#include "loop/event_loop.h"
#include "model/check.h"

namespace patchbay::health {

/// Returns the time of the next run, which is one period after the last run began. If the last run
/// was longer than that, the time is one period after its end. The time is rounded to a grid, so
/// that many checks share one wake-up. `random`, from 0 to 1, adds a jitter. Rounding and jitter
/// together are at most an eighth of the period. Pure.
[[nodiscard]] loop::Time next_run(loop::Time began, loop::Time ended, loop::Milliseconds period,
                                  double random);

/// Returns the time until `due`, rounded up to milliseconds; 0 if `due` is past. Pure.
[[nodiscard]] loop::Milliseconds time_until(loop::Time due, loop::Time now);

/// Runs one check once per period, and at once after an event; never twice at a time. Loop thread.
class RepeatedCheck {
 public:
  /// The values that all checks share. The Context outlives the checks.
  struct Context {
    loop::EventLoop& loop;
    CheckQueue& queue;
    std::function<double()> random;  ///< Returns a fraction from 0 to 1 for next_run().
    bool once = false;               ///< Whether the period is ignored.
    std::function<void()> on_ended;  ///< Called when a run of a check has ended.
  };
  /// The reason of a run.
  enum class Trigger {
    file_changed,  ///< A file that the check reads changed. A result like the last one is ignored.
    other,         ///< The check is due, or its device had an event.
  };
  struct Callbacks {
    std::function<void()> begun;
    std::function<void(const CheckResult&, Trigger)> done;
  };

  /// `context` and `check` outlive this object.
  RepeatedCheck(const Context& context, const Check& check, loop::Milliseconds period,
                Callbacks callbacks);
  RepeatedCheck(const RepeatedCheck&) = delete;
  RepeatedCheck& operator=(const RepeatedCheck&) = delete;

  /// Queues a run now, first and after an event. If a run is in progress, the next run is queued
  /// after its end.
  void run_now(Trigger trigger);
  /// When the last run began.
  [[nodiscard]] loop::Time began() const { return began_; }
  [[nodiscard]] bool running() const { return state_ == State::running; }
  /// Whether the check has waited in the queue for longer than its period.
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
  loop::Time queued_{};  ///< When the check was last queued.
  loop::Time began_{};
  loop::Subscription timer_;
  loop::Subscription queue_entry_;  ///< Its entry in the queue.
};

}  // namespace patchbay::health
