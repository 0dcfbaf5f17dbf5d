#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "loop/blocking_work.h"
#include "loop/event_loop.h"

namespace patchbay::loop {

/// Threads for work that may hang for ever, such as on a dead network file system. The loop's own
/// pool is unsuitable, because the loop waits for it at the end. Slow work releases its slot to
/// other work, so a hung thread is replaced early, up to a limit. Loop thread, except `blocking`.
class WorkThreads final : public BlockingWork {
 public:
  static constexpr size_t kThreads = 4;
  /// Limit of slow or hung work, in addition to the working threads.
  static constexpr size_t kMaxHung = 32;
  /// Work that takes longer is slow and does not occupy a slot.
  static constexpr Milliseconds kSlowAfter{200};

  /// Limit of concurrent work without slow work. Threads start when there is work, and all except
  /// one stop when there is none.
  explicit WorkThreads(EventLoop& loop, size_t max_concurrent = kThreads);
  /// Does not wait: running work must own everything it uses.
  ~WorkThreads() override;

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

  /// Number of hung threads.
  [[nodiscard]] size_t hanging() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace patchbay::loop
