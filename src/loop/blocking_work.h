#pragma once

#include <functional>
#include <string>

#include "loop/event_loop.h"

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

}  // namespace patchbay::loop
