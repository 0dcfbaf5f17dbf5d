#include "loop/work_queue.h"

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace patchbay::loop {
namespace {

/// Timeout of run_to_end().
constexpr Milliseconds kNever = Milliseconds::max();

/// Reports the end of work to the loop. A hung thread keeps it alive.
struct Mailbox {
  std::mutex mutex;
  EventLoop* loop = nullptr;                      ///< Null: the queue is gone. Guarded by mutex.
  std::move_only_function<void(uint64_t)> ended;  ///< Loop thread.

  [[nodiscard]] bool is_open() {
    const std::lock_guard lock(mutex);
    return loop != nullptr;
  }
};

void post_end(const std::shared_ptr<Mailbox>& mailbox, uint64_t id) {
  const std::lock_guard lock(mailbox->mutex);
  if (mailbox->loop == nullptr) return;
  mailbox->loop->post([weak = std::weak_ptr(mailbox), id] {
    const auto strong = weak.lock();
    if (strong && strong->ended) strong->ended(id);
  });
}

}  // namespace

struct WorkQueue::State {
  struct Job {
    std::string name{};
    Milliseconds timeout{};
    Task blocking;  ///< Null: it has begun.
    Callbacks callbacks;
    Subscription timer{};
    bool is_slow = false;
    bool hangs = false;
  };

  State(EventLoop& event_loop, size_t max_concurrent) : loop(event_loop), most(max_concurrent) {}

  uint64_t add(Job job);
  void begin_waiting();
  /// False: it must wait for a slot or a thread.
  bool begin(uint64_t id, Job& job);
  void refuse(uint64_t id, WorkOutcome outcome);
  void release_slot(uint64_t id);
  void time_out(uint64_t id);
  void ended(uint64_t id);
  void begin_soon();

  EventLoop& loop;
  const size_t most;  ///< Limit of concurrent work without slow work.
  std::shared_ptr<Mailbox> mailbox = std::make_shared<Mailbox>();
  uint64_t next_id = 1;
  std::map<uint64_t, Job> jobs;
  std::deque<uint64_t> waiting;
  std::multiset<std::string> hanging;  ///< Names of hung work.
  size_t at_work = 0;                  ///< Begun work, including hung work.
  size_t slow_at_work = 0;
  bool soon = false;
  Subscription retry;  ///< For run_to_end() without a thread.
  std::weak_ptr<State> self;
};

uint64_t WorkQueue::State::add(Job job) {
  const uint64_t id = next_id++;
  job.blocking = [mailbox = mailbox, id, blocking = std::move(job.blocking)]() mutable {
    if (!mailbox->is_open()) return;
    blocking();
    blocking = nullptr;  // Destroying its captures may take long.
    post_end(mailbox, id);
  };
  jobs.emplace(id, std::move(job));
  waiting.push_back(id);
  begin_soon();
  return id;
}

void WorkQueue::State::begin_soon() {
  if (std::exchange(soon, true)) return;
  loop.post([weak = self] {
    const auto me = weak.lock();
    if (!me) return;
    me->soon = false;
    me->begin_waiting();
  });
}

void WorkQueue::State::begin_waiting() {
  while (!waiting.empty()) {
    const uint64_t id = waiting.front();
    const auto job = jobs.find(id);
    const bool cancelled = job == jobs.end();
    const bool still_hangs =
        !cancelled && !job->second.name.empty() && hanging.contains(job->second.name);
    const bool begun = !cancelled && !still_hangs && begin(id, job->second);
    const bool waits = !cancelled && !still_hangs && !begun;
    if (waits && at_work > hanging.size()) return;  // The end of running work continues this.
    if (waits && job->second.timeout == kNever) {
      retry = loop.after(kHungAfter, [this] { begin_waiting(); });
      return;
    }
    waiting.pop_front();
    if (still_hangs) refuse(id, WorkOutcome::still_hanging);
    if (waits) refuse(id, WorkOutcome::no_thread);
  }
}

bool WorkQueue::State::begin(uint64_t id, Job& job) {
  if (at_work - slow_at_work >= most || at_work >= most + kMaxHung) return false;
  if (!loop.executor().start(job.blocking)) return false;
  job.blocking = nullptr;
  ++at_work;
  if (job.timeout > kSlowAfter) {
    job.timer = loop.after(kSlowAfter, [this, id] { release_slot(id); });
  } else {
    job.timer = loop.after(job.timeout, [this, id] { time_out(id); });
  }
  return true;
}

void WorkQueue::State::refuse(uint64_t id, WorkOutcome outcome) {
  auto job = std::move(jobs.extract(id).mapped());
  job.callbacks.done(outcome);
}

void WorkQueue::State::release_slot(uint64_t id) {
  Job& job = jobs.at(id);
  job.is_slow = true;
  ++slow_at_work;
  job.timer.reset();
  if (job.timeout != kNever) {
    job.timer = loop.after(job.timeout - kSlowAfter, [this, id] { time_out(id); });
  }
  begin_soon();
  if (auto became_slow = std::exchange(job.callbacks.became_slow, nullptr)) became_slow();
}

void WorkQueue::State::time_out(uint64_t id) {
  Job& job = jobs.at(id);
  job.timer.reset();
  if (!std::exchange(job.is_slow, true)) ++slow_at_work;
  job.hangs = true;
  hanging.insert(job.name);
  begin_soon();
  if (auto done = std::exchange(job.callbacks.done, nullptr)) done(WorkOutcome::timed_out);
}

void WorkQueue::State::ended(uint64_t id) {
  auto job = std::move(jobs.extract(id).mapped());
  job.timer.reset();
  --at_work;
  if (job.is_slow) --slow_at_work;
  if (job.hangs) hanging.erase(hanging.find(job.name));
  begin_soon();
  if (job.hangs) {
    if (job.callbacks.ended_late) job.callbacks.ended_late();
  } else if (job.callbacks.done) {
    job.callbacks.done(WorkOutcome::done);
  }
}

WorkQueue::WorkQueue(EventLoop& loop, size_t max_concurrent)
    : state_(std::make_shared<State>(loop, max_concurrent)) {
  state_->self = state_;
  state_->mailbox->loop = &loop;
  state_->mailbox->ended = [weak = std::weak_ptr(state_)](uint64_t id) {
    if (const auto state = weak.lock()) state->ended(id);
  };
}

WorkQueue::~WorkQueue() {
  const std::lock_guard lock(state_->mailbox->mutex);
  state_->mailbox->loop = nullptr;
}

Subscription WorkQueue::run(std::string name, Milliseconds timeout, Task blocking,
                            Callbacks callbacks) {
  const uint64_t id = state_->add({.name = std::move(name),
                                   .timeout = timeout,
                                   .blocking = std::move(blocking),
                                   .callbacks = std::move(callbacks)});
  return Subscription([weak = std::weak_ptr(state_), id] {
    const auto state = weak.lock();
    if (!state) return;
    const auto it = state->jobs.find(id);
    if (it == state->jobs.end()) return;
    // Begun work is still timed, so that a hang is detected.
    if (it->second.blocking) {
      state->jobs.erase(it);
    } else {
      it->second.callbacks = {};
    }
  });
}

void WorkQueue::run_to_end(Task blocking, Task done) {
  state_->add({.timeout = kNever,
               .blocking = std::move(blocking),
               .callbacks = {.done = [done = std::move(done)](WorkOutcome) mutable { done(); }}});
}

size_t WorkQueue::hanging() const { return state_->hanging.size(); }

}  // namespace patchbay::loop
