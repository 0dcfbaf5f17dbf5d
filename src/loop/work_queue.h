#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "loop/event_loop.h"
#include "loop/executor.h"

namespace patchbay::loop {

/// The result of work that may hang.
enum class WorkOutcome {
  done,
  timed_out,      ///< Still running, in a thread that cannot be cancelled.
  still_hanging,  ///< Not started: work of the same name still hangs.
  no_thread,      ///< Not started: no thread is available.
};

/// Runs work that may hang for ever. An interface, so that tests can simulate hangs. Loop thread,
/// except `blocking`.
class BlockingWork {
 public:
  using Done = std::move_only_function<void(WorkOutcome)>;

  BlockingWork() = default;
  BlockingWork(const BlockingWork&) = delete;
  BlockingWork& operator=(const BlockingWork&) = delete;
  virtual ~BlockingWork() = default;

  /// Runs `blocking` on a separate thread, then calls `done` once, later, on the loop thread. Work
  /// without a name is never delayed by hung work. The timeout starts with the work. If the
  /// Subscription ends, `done` is not called.
  [[nodiscard]] virtual Subscription run(std::string name, Milliseconds timeout, Task blocking,
                                         Done done) = 0;
};

/// Runs one kind of work that may hang for ever, on threads of the loop's Executor. At most
/// `max_concurrent` pieces run at once, without slow ones; the others wait. So hung work delays
/// other work of its kind for a short time only, and other kinds not at all. Loop thread, except
/// `blocking`.
class WorkQueue final : public BlockingWork {
 public:
  explicit WorkQueue(EventLoop& loop, size_t max_concurrent = kMaxConcurrent);
  /// Does not wait: running work must own everything it uses.
  ~WorkQueue() override;

  /// Callbacks of one piece of work, on the loop thread, never called during run().
  struct Callbacks {
    Done done;                   ///< Called once.
    Task became_slow = nullptr;  ///< Called before `done`: the work is slow.
    Task ended_late = nullptr;   ///< Called after `done`: timed-out work has ended.
  };

  [[nodiscard]] Subscription run(std::string name, Milliseconds timeout, Task blocking,
                                 Done done) override {
    return run(std::move(name), timeout, std::move(blocking), Callbacks{.done = std::move(done)});
  }
  /// Same as above, with all callbacks.
  [[nodiscard]] Subscription run(std::string name, Milliseconds timeout, Task blocking,
                                 Callbacks callbacks);
  /// Runs `blocking` without a timeout, then calls `done`. If the system has no thread, it waits
  /// for one.
  void run_to_end(Task blocking, Task done);

  /// Number of hung pieces of work.
  [[nodiscard]] size_t hanging() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace patchbay::loop
