#pragma once

#include <functional>
#include <optional>

#include "base/check.h"
#include "health/check_queue.h"
#include "health/check_runner.h"
#include "loop/event_loop.h"

namespace patchbay::health {

/// Runs one check at its period, and at once when something happened; never twice at a time. Loop
/// thread.
class RepeatedCheck {
 public:
  /// What all of them share. Outlives them.
  struct Context {
    loop::EventLoop& loop;
    CheckQueue& queue;
    std::function<double()> random;  ///< From 0 up to 1.
    bool once = false;               ///< Each runs once, and no more.
    std::function<void()> on_ended;  ///< A run of one of them has ended.
  };
  /// Why it runs.
  enum class Trigger {
    file_changed,  ///< What it reads may be another: if it is not, nothing has happened.
    other,         ///< It is due, or something happened to its device.
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

  /// Begins. `first_soon`: the first run need not be at once.
  void start(bool first_soon);
  /// Something happened. If it runs just now, it runs once more afterwards.
  void run_now(Trigger trigger);
  /// When the last run began.
  [[nodiscard]] loop::Time began() const { return began_; }
  [[nodiscard]] bool running() const { return state_ == State::running; }
  /// It has been due for longer than its period, and waits for its turn.
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
  loop::Time queued_{};  ///< When it became due last.
  loop::Time began_{};
  loop::Subscription timer_;
  loop::Subscription queue_entry_;  ///< In the queue.
};

}  // namespace patchbay::health
