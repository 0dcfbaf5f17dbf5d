#pragma once

#include <cstddef>
#include <memory>

#include "loop/task.h"

namespace patchbay::loop {

/// Limits of work that may hang, for all users.

/// Work that runs longer is slow. Slow work does not count as concurrent, so that other work can
/// begin.
inline constexpr Milliseconds kSlowAfter{200};
/// Work that runs longer is hung. Its users stop waiting for it.
inline constexpr Milliseconds kHungAfter{2000};
/// Limit of concurrent work of one kind. Slow and hung work does not count.
inline constexpr size_t kMaxConcurrent = 4;
/// Limit of slow and hung work of one kind, in addition to the concurrent work.
inline constexpr size_t kMaxHung = 32;
/// Limit of hung work per network or FUSE mount. At this limit, no more is read on the mount until
/// some of that work ends.
inline constexpr size_t kMaxHungPerMount = 4;

/// Runs work that may hang for ever, such as on a dead network file system, on separate threads.
/// Work starts at once; only WorkQueue has limits. Copies share the threads. Any thread.
///
/// The destruction of the last copy does not wait for running work, so work must own everything it
/// uses. Only one idle thread is kept, to save memory; new ones start quickly.
class Executor {
 public:
  /// Other idle threads end after this time.
  static constexpr Milliseconds kIdleTime{200};

  Executor();

  /// Runs `work` on a thread. Returns false, and leaves `work` unchanged, if the system cannot
  /// create a thread.
  [[nodiscard]] bool start(Task& work);
  /// Runs `work` on a thread, and waits for it at most `within`. Returns false if `work` is still
  /// running, or if the system cannot create a thread.
  [[nodiscard]] bool run(Task work, Milliseconds within);

 private:
  struct Threads;
  class Owner;
  std::shared_ptr<Owner> owner_;
};

}  // namespace patchbay::loop
