#pragma once

#include <cstddef>
#include <memory>

#include "loop/task.h"

namespace patchbay::loop {

/// Limits of work that may hang. All its users share them.

/// Slower work no longer counts as concurrent, so that other work can begin.
inline constexpr Milliseconds kSlowAfter{200};
/// Slower work is hung: its users no longer wait for it.
inline constexpr Milliseconds kHungAfter{2000};
/// Concurrent work of one kind, without slow and hung work.
inline constexpr size_t kMaxConcurrent = 4;
/// Slow and hung work of one kind, in addition to the concurrent work.
inline constexpr size_t kMaxHung = 32;
/// Hung work per network or FUSE mount. At this limit nothing more on the mount is read until some
/// of that work ends.
inline constexpr size_t kMaxHungPerMount = 4;

/// Threads for work that may hang for ever, such as on a dead network file system. It starts work
/// at once and has no limit of its own: see WorkQueue. Copies share the threads. Any thread.
///
/// Nothing waits for running work when the last copy is destroyed, so work must own everything it
/// uses. One idle thread stays, because a thread costs memory and starts quickly.
class Executor {
 public:
  /// Other idle threads end after this time.
  static constexpr Milliseconds kIdleTime{200};

  Executor();

  /// Runs `work` on a thread. False: the system has no thread, and `work` keeps its value.
  [[nodiscard]] bool start(Task& work);
  /// Runs `work` and waits for it, at most `within`. False: it is still running, or the system has
  /// no thread.
  [[nodiscard]] bool run(Task work, Milliseconds within);

 private:
  struct Threads;
  class Owner;
  std::shared_ptr<Owner> owner_;
};

}  // namespace patchbay::loop
