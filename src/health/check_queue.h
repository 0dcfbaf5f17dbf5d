#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "base/check.h"
#include "health/check_runner.h"
#include "loop/event_loop.h"
#include "loop/work_threads.h"

namespace patchbay::health {

/// Runs checks in the order asked for, so many at once at most. One that waits for a file system or
/// a driver leaves its place to the next, so that what hangs holds up no other. Loop thread.
class CheckQueue {
 public:
  static constexpr size_t kMaxBlocked = loop::WorkThreads::kMaxHung;

  /// `runner` outlives the queue, and the queue all that it gives out.
  CheckQueue(CheckRunner& runner, size_t limit) : runner_(runner), limit_(limit) {}
  CheckQueue(const CheckQueue&) = delete;
  CheckQueue& operator=(const CheckQueue&) = delete;

  /// `begun` is called when its turn has come, which may be at once; `done` later. `check` lives as
  /// long as the Subscription. To end that is to run it no more, and to hear nothing.
  [[nodiscard]] loop::Subscription add(const Check& check, loop::Task begun,
                                       CheckRunner::Done done);

  /// Nothing runs or waits.
  [[nodiscard]] bool idle() const { return waiting_.empty() && running_.empty(); }
  /// Begins nothing more.
  void close() { limit_ = 0; }

 private:
  struct Entry {
    const Check* check;
    loop::Task begun;
    CheckRunner::Done done;
  };
  struct Run {
    CheckRunner::Done done;
    loop::Subscription run;
    bool is_blocked = false;  ///< It has left its place.
  };

  void begin_next();
  void release_slot(uint64_t number);
  [[nodiscard]] size_t slots_taken() const;
  void finish(uint64_t number, CheckResult result);
  void drop(uint64_t number);

  CheckRunner& runner_;
  size_t limit_;
  uint64_t next_number_ = 0;
  std::map<uint64_t, Entry> waiting_;
  std::map<uint64_t, Run> running_;
};

}  // namespace patchbay::health
