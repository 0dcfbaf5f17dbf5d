#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "loop/event_loop.h"
#include "loop/executor.h"

namespace patchbay::fake {

/// An EventLoop with a clock that a test advances. Posted work runs in order when the test calls
/// run_ready(). Descriptors become readable by make_readable(), and connections end by hang_up().
class ManualLoop final : public loop::EventLoop {
 public:
  void post(loop::Task task) override { ready_.push_back(std::move(task)); }

  loop::Subscription after(loop::Milliseconds delay, loop::Task task) override {
    return add_timer({.due = now_ + delay, .period = {}, .task = std::move(task)});
  }

  loop::Subscription every(loop::Milliseconds period,
                           std::move_only_function<void()> task) override {
    return add_timer({.due = now_ + period, .period = period, .task = std::move(task)});
  }

  loop::Subscription watch_readable(
      int fd, std::move_only_function<void(loop::FdEvent)> on_event) override {
    watched_[fd] = std::make_shared<OnEvent>(std::move(on_event));
    return loop::Subscription([this, fd] { watched_.erase(fd); });
  }

  loop::Subscription watch_exceptional(int /*fd*/,
                                       std::move_only_function<void()> /*on_change*/) override {
    return loop::Subscription([] {});
  }

  loop::Subscription when_writable(int /*fd*/, loop::Task /*on_writable*/) override {
    return loop::Subscription([] {});
  }

  loop::Subscription when_hung_up(int fd, loop::Task on_hang_up) override {
    hang_ups_[fd] = std::move(on_hang_up);
    return loop::Subscription([this, fd] { hang_ups_.erase(fd); });
  }

  /// Starts no process: reports that it cannot start.
  loop::Subscription spawn(loop::ProcessSpec /*spec*/, loop::BlockingWork& /*work*/,
                           loop::ProcessEvents events) override {
    post([events = std::move(events)]() mutable {
      events.ended({.kind = loop::ChildResult::Kind::cannot_start, .reason = "not here"});
    });
    return loop::Subscription([] {});
  }

  void work(loop::Task blocking, loop::Task done) override {
    ready_.emplace_back([blocking = std::move(blocking), done = std::move(done)]() mutable {
      blocking();
      done();
    });
  }

  loop::Executor& executor() override { return executor_; }

  loop::Subscription watch_signal(int /*signal_number*/, loop::Task /*on_signal*/) override {
    return loop::Subscription([] {});
  }

  [[nodiscard]] loop::Time now() const override { return now_; }

  /// Runs all posted tasks and work, and the tasks that these post, until none is left.
  void run_ready() {
    while (!ready_.empty()) {
      auto task = std::move(ready_.front());
      ready_.pop_front();
      task();
    }
  }

  /// Advances the clock. Runs each timer at its time, and then the tasks that it posts.
  void advance(loop::Milliseconds by) {
    const loop::Time end = now_ + by;
    run_ready();
    while (true) {
      const auto next = next_timer();
      if (next == timers_.end() || next->second->due > end) break;
      now_ = std::max(now_, next->second->due);
      fire(next->second);
      run_ready();
    }
    now_ = end;
  }

  /// Time until the next timer; null if there is none.
  [[nodiscard]] std::optional<loop::Milliseconds> until_next_timer() {
    const auto next = next_timer();
    if (next == timers_.end()) return std::nullopt;
    return std::chrono::ceil<loop::Milliseconds>(next->second->due - now_);
  }

  void make_readable(int fd, loop::FdEvent event = loop::FdEvent::readable) {
    // The copy keeps the callback alive while it ends its own Subscription.
    if (const auto it = watched_.find(fd); it != watched_.end()) {
      const auto held = it->second;
      (*held)(event);
    }
    run_ready();
  }

  /// Reports the end of the connection `fd`.
  void hang_up(int fd) {
    if (const auto it = hang_ups_.find(fd); it != hang_ups_.end()) {
      std::exchange(it->second, nullptr)();
    }
    run_ready();
  }

  [[nodiscard]] bool watches(int fd) const { return watched_.contains(fd); }

 private:
  using OnEvent = std::move_only_function<void(loop::FdEvent)>;
  struct Timer {
    loop::Time due;
    loop::Milliseconds period{};
    loop::Task task;
    bool done = false;  ///< A one-shot timer that has run; its Subscription may still exist.
  };
  using Timers = std::map<uint64_t, std::shared_ptr<Timer>>;

  loop::Subscription add_timer(Timer timer) {
    const uint64_t id = next_id_++;
    timers_[id] = std::make_shared<Timer>(std::move(timer));
    return loop::Subscription([this, id] { timers_.erase(id); });
  }

  Timers::iterator next_timer() {
    auto best = timers_.end();
    for (auto it = timers_.begin(); it != timers_.end(); ++it) {
      if (it->second->done) continue;
      if (best == timers_.end() || it->second->due < best->second->due) best = it;
    }
    return best;
  }

  /// Keeps the Timer alive, because its task may end its own Subscription.
  static void fire(const std::shared_ptr<Timer>& timer) {
    if (timer->period.count() > 0) {
      timer->due += timer->period;
      timer->task();
    } else {
      timer->done = true;
      auto task = std::move(timer->task);
      task();
    }
  }

  loop::Time now_{std::chrono::hours(1)};
  std::deque<loop::Task> ready_;
  Timers timers_;
  std::map<int, std::shared_ptr<OnEvent>> watched_;
  std::map<int, loop::Task> hang_ups_;
  uint64_t next_id_ = 0;
  loop::Executor executor_;
};

}  // namespace patchbay::fake
