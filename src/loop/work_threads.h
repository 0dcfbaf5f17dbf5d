#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "loop/blocking_work.h"
#include "loop/event_loop.h"

namespace patchbay::loop {

/// Threads for work that may hang for ever, as on a dead network file system: not the loop's pool,
/// which the loop waits for at its end. A thread that hangs is replaced, up to a limit, before it
/// is known that it does: what lasts long leaves its place to other work. Loop thread, but for
/// `blocking`.
class WorkThreads final : public BlockingWork {
 public:
  static constexpr size_t kThreads = 4;
  /// So many more than work at a time may last long or hang.
  static constexpr size_t kMaxHung = 32;
  /// Work that lasts longer is not counted among what works at a time.
  static constexpr Milliseconds kSlowAfter{200};

  /// So many are at work at a time, besides those at work for long. They are started when there is
  /// work, and end when there is none, but for one.
  explicit WorkThreads(EventLoop& loop, size_t max_concurrent = kThreads);
  /// Waits for nothing: work that goes on must own all that it touches.
  ~WorkThreads() override;

  /// What is told of work, on the loop thread and never at once.
  struct Callbacks {
    Done done;                   ///< Once.
    Task became_slow = nullptr;  ///< Before: it has left its place to other work.
    Task ended_late = nullptr;   ///< After: it had timed out, and has ended now.
  };

  [[nodiscard]] Subscription run(std::string name, Milliseconds timeout, Task blocking,
                                 Done done) override {
    return run(std::move(name), timeout, std::move(blocking), Callbacks{.done = std::move(done)});
  }
  /// The same, with all that is told.
  [[nodiscard]] Subscription run(std::string name, Milliseconds timeout, Task blocking,
                                 Callbacks callbacks);

  /// How many threads hang now.
  [[nodiscard]] size_t hanging() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace patchbay::loop
