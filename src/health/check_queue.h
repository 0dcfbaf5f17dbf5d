#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "health/check_runner.h"
#include "loop/event_loop.h"
#include "loop/work_queue.h"
#include "model/check.h"

namespace patchbay::health {

/// Runs checks in the order of their requests, at most `limit` at once. A check that blocks on a
/// file system or driver does not count, so that it does not delay others. At most kMaxBlocked
/// checks are exempted in this way. Loop thread.
class CheckQueue {
 public:
  static constexpr size_t kMaxBlocked = loop::kMaxHung;

  /// `runner` outlives the queue. The queue outlives the Subscriptions that add() returned.
  CheckQueue(CheckRunner& runner, size_t limit) : runner_(runner), limit_(limit) {}
  CheckQueue(const CheckQueue&) = delete;
  CheckQueue& operator=(const CheckQueue&) = delete;

  /// Adds a check. `begun` is called when the check starts, possibly within this call. `done` is
  /// called with the result. `check` must live as long as the Subscription. If the Subscription
  /// ends, the check is cancelled, and neither `begun` nor `done` is called.
  [[nodiscard]] loop::Subscription add(const Check& check, loop::Task begun,
                                       CheckRunner::Done done);

  /// Whether no check is running or queued.
  [[nodiscard]] bool idle() const { return waiting_.empty() && running_.empty(); }
  /// Starts no more checks. Running checks continue.
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
    bool is_blocked = false;  ///< It does not count for the limit.
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
