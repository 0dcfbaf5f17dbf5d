#pragma once

#include <functional>
#include <string>

#include "loop/event_loop.h"

namespace patchbay::loop {

/// How work that may hang went.
enum class WorkOutcome {
  done,
  timed_out,      ///< No end of it yet. It goes on in its thread, which cannot be called back.
  still_hanging,  ///< Not begun: work of the same name timed out before and has not ended yet.
  no_thread,      ///< Not begun: there is no thread for it.
};

/// Takes work that may hang for ever. An interface, since tests say what hangs. Loop thread, but
/// for `blocking`.
class BlockingWork {
 public:
  using Done = std::move_only_function<void(WorkOutcome)>;

  BlockingWork() = default;
  BlockingWork(const BlockingWork&) = delete;
  BlockingWork& operator=(const BlockingWork&) = delete;
  virtual ~BlockingWork() = default;

  /// `blocking` in a thread of its own, then `done`, once, on the loop thread and never at once.
  /// Without a name it is not held back by what hangs. The timeout runs from the moment the work
  /// begins. To end the Subscription is to hear nothing.
  [[nodiscard]] virtual Subscription run(std::string name, Milliseconds timeout, Task blocking,
                                         Done done) = 0;
};

}  // namespace patchbay::loop
