#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "fake/manual_loop.h"
#include "loop/work_queue.h"

namespace patchbay::fake {

/// A stand-in for WorkQueue. Work runs when the test calls ManualLoop::run_ready(). During the
/// work, the test can report it as slow or timed out.
class ManualWorkQueue {
 public:
  explicit ManualWorkQueue(ManualLoop& loop) : loop_(loop) {}

  loop::Subscription run(loop::Task blocking, loop::WorkQueue::Callbacks callbacks) {
    const auto job = std::make_shared<Job>();
    job->callbacks = std::move(callbacks);
    if (!has_threads_) {
      loop_.post([job] {
        if (job->wanted) job->callbacks.done(loop::WorkOutcome::no_thread);
      });
      return loop::Subscription([job] { job->wanted = false; });
    }
    loop_.work(
        [this, job, blocking = std::move(blocking)]() mutable {
          running_.push_back(job);
          blocking();
          running_.pop_back();
        },
        [job] {
          if (!job->wanted) return;
          if (!job->timed_out) return job->callbacks.done(loop::WorkOutcome::done);
          if (job->callbacks.ended_late) job->callbacks.ended_late();
        });
    return loop::Subscription([job] { job->wanted = false; });
  }

  /// Sets whether the system has a thread for new work.
  void set_has_threads(bool has_threads) { has_threads_ = has_threads; }

  /// Reports the running work as slow; time_out() as timed out. With nested work, the innermost.
  void became_slow() { running_.back()->callbacks.became_slow(); }
  void time_out() {
    const auto job = running_.back();
    job->timed_out = true;
    job->callbacks.done(loop::WorkOutcome::timed_out);
  }

 private:
  struct Job {
    loop::WorkQueue::Callbacks callbacks;
    bool wanted = true;
    bool timed_out = false;
  };
  ManualLoop& loop_;
  bool has_threads_ = true;
  std::vector<std::shared_ptr<Job>> running_;  ///< The last one is the innermost.
};

}  // namespace patchbay::fake
