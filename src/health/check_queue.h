#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "health/check_runner.h"
#include "loop/event_loop.h"
#include "loop/work_queue.h"
#include "model/check.h"

namespace patchbay::health {

/// Runs checks in the order of their requests, a limited number at once. A check that blocks on a
/// file system or driver releases its slot, so that it does not delay others. Loop thread.
class CheckQueue {
 public:
  static constexpr size_t kMaxBlocked = loop::kMaxHung;

  /// `runner` outlives the queue, and the queue outlives its Subscriptions.
  CheckQueue(CheckRunner& runner, size_t limit) : runner_(runner), limit_(limit) {}
  CheckQueue(const CheckQueue&) = delete;
  CheckQueue& operator=(const CheckQueue&) = delete;

  /// `begun` is called when the check starts, possibly at once; `done` later. `check` must live as
  /// long as the Subscription. If the Subscription ends, the check is cancelled and nothing is
  /// called.
  [[nodiscard]] loop::Subscription add(const Check& check, loop::Task begun,
                                       CheckRunner::Done done);

  /// Whether no check is running or queued.
  [[nodiscard]] bool idle() const { return waiting_.empty() && running_.empty(); }
  /// Starts no more checks.
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
    bool is_blocked = false;  ///< It has released its slot.
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
