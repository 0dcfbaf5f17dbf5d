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
  timed_out,      ///< It still runs, on a thread that cannot be cancelled.
  still_hanging,  ///< Not started: work of the same name still hangs.
  no_thread,      ///< Not started: no thread is available.
};

/// Runs work that may hang for ever. It is an interface, so that tests can simulate hangs. Loop
/// thread, except `blocking`.
class BlockingWork {
 public:
  using Done = std::move_only_function<void(WorkOutcome)>;

  BlockingWork() = default;
  BlockingWork(const BlockingWork&) = delete;
  BlockingWork& operator=(const BlockingWork&) = delete;
  virtual ~BlockingWork() = default;

  /// Runs `blocking` on a separate thread, then calls `done` once, later, on the loop thread. The
  /// timeout starts with the work. While work with the same name hangs, `blocking` is not run
  /// (WorkOutcome::still_hanging); an empty name equals no other. If the Subscription ends, `done`
  /// is not called.
  [[nodiscard]] virtual Subscription run(std::string name, Milliseconds timeout, Task blocking,
                                         Done done) = 0;
};

/// Runs one kind of work that may hang for ever, on threads of the loop's Executor. At most
/// `max_concurrent` pieces run at once; further ones wait. Pieces that run longer than kSlowAfter
/// do not count, up to kMaxHung of them. So hung work delays other work of its kind for a short
/// time only, and other kinds not at all. Loop thread, except `blocking`.
class WorkQueue final : public BlockingWork {
 public:
  explicit WorkQueue(EventLoop& loop, size_t max_concurrent = kMaxConcurrent);
  /// Does not wait for running work, which must own everything it uses.
  ~WorkQueue() override;

  /// Callbacks of one piece of work, on the loop thread, never called during run().
  struct Callbacks {
    Done done;                   ///< Called once.
    Task became_slow = nullptr;  ///< Called before `done` if the work is slow.
    Task ended_late = nullptr;   ///< Called after `done` when timed-out work ends.
  };

  [[nodiscard]] Subscription run(std::string name, Milliseconds timeout, Task blocking,
                                 Done done) override {
    return run(std::move(name), timeout, std::move(blocking), Callbacks{.done = std::move(done)});
  }
  /// As above, with all callbacks.
  [[nodiscard]] Subscription run(std::string name, Milliseconds timeout, Task blocking,
                                 Callbacks callbacks);
  /// Runs `blocking` without a timeout, then calls `done`. Waits if there is no thread for it.
  void run_to_end(Task blocking, Task done);

  /// Number of hung pieces of work.
  [[nodiscard]] size_t hanging() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace patchbay::loop
