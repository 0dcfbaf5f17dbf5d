#include "loop/work_threads.h"

#include <pthread.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "base/scoped_signal_block.h"

namespace patchbay::loop {
namespace {

struct Order {
  uint64_t id = 0;
  Task blocking;
};

/// State shared by the threads and the loop. A hung thread keeps it alive.
struct Exchange {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Order> orders;
  size_t threads_to_stop = 0;                     ///< Surplus threads.
  EventLoop* loop = nullptr;                      ///< Null: the owner is gone.
  std::move_only_function<void(uint64_t)> ended;  ///< Loop thread.
};

void post_completion(const std::shared_ptr<Exchange>& exchange, uint64_t id) {
  exchange->loop->post([weak = std::weak_ptr(exchange), id] {
    const auto strong = weak.lock();
    if (strong && strong->ended) strong->ended(id);
  });
}

void run_worker(const std::shared_ptr<Exchange>& exchange) {
  ::pthread_setname_np(::pthread_self(), "work");
  std::unique_lock lock(exchange->mutex);
  while (true) {
    exchange->changed.wait(lock, [&] {
      return !exchange->orders.empty() || exchange->threads_to_stop > 0 || !exchange->loop;
    });
    if (exchange->loop == nullptr) return;
    if (exchange->orders.empty()) {
      --exchange->threads_to_stop;
      return;
    }
    Order order = std::move(exchange->orders.front());
    exchange->orders.pop_front();
    lock.unlock();
    order.blocking();
    order.blocking = nullptr;  // Destroying its captures may take long.
    lock.lock();
    if (exchange->loop == nullptr) return;
    post_completion(exchange, order.id);
  }
}

/// False: the system has no thread.
bool start_thread(const std::shared_ptr<Exchange>& exchange) {
  // Signals are for the loop's thread: a hung thread must not receive one.
  const ScopedSignalBlock signal_block;
  try {
    std::thread([exchange] { run_worker(exchange); }).detach();
  } catch (const std::system_error&) {
    return false;
  }
  return true;
}

}  // namespace

struct WorkThreads::State {
  struct Job {
    std::string name;
    Milliseconds timeout{};
    Task blocking;
    Callbacks callbacks;
    Subscription timer;
    bool begun = false;
    bool is_slow = false;
    bool hangs = false;
  };

  State(EventLoop& event_loop, size_t max_concurrent) : loop(event_loop), most(max_concurrent) {}

  void begin_waiting();
  /// Whether a thread is available or can be started.
  bool take_thread();
  void begin(uint64_t id, Job& job);
  void refuse(uint64_t id, WorkOutcome outcome);
  void release_slot(uint64_t id);
  void time_out(uint64_t id);
  void ended(uint64_t id);
  void stop_spare_thread();
  void begin_soon();

  EventLoop& loop;
  const size_t most;  ///< Limit of concurrent work without slow work.
  std::shared_ptr<Exchange> exchange = std::make_shared<Exchange>();
  uint64_t next_id = 1;
  std::map<uint64_t, Job> jobs;
  std::deque<uint64_t> waiting;
  std::multiset<std::string> hanging;  ///< Names of hung work.
  size_t threads = 0;
  size_t at_work = 0;  ///< Started work, including hung work.
  size_t slow_at_work = 0;
  bool soon = false;
  std::weak_ptr<State> self;
};

void WorkThreads::State::begin_soon() {
  if (std::exchange(soon, true)) return;
  loop.post([weak = self] {
    const auto me = weak.lock();
    if (!me) return;
    me->soon = false;
    me->begin_waiting();
  });
}

void WorkThreads::State::begin_waiting() {
  while (!waiting.empty()) {
    const uint64_t id = waiting.front();
    const auto job = jobs.find(id);
    if (job == jobs.end()) {  // Cancelled.
      waiting.pop_front();
    } else if (!job->second.name.empty() && hanging.contains(job->second.name)) {
      waiting.pop_front();
      refuse(id, WorkOutcome::still_hanging);
    } else if (take_thread()) {
      waiting.pop_front();
      begin(id, job->second);
    } else if (at_work == hanging.size()) {  // No running work will end and free a thread.
      waiting.pop_front();
      refuse(id, WorkOutcome::no_thread);
    } else {
      return;
    }
  }
}

bool WorkThreads::State::take_thread() {
  if (at_work - slow_at_work >= most) return false;
  if (at_work < threads) return true;
  if (threads >= most + kMaxHung || !start_thread(exchange)) return false;
  ++threads;
  return true;
}

void WorkThreads::State::begin(uint64_t id, Job& job) {
  ++at_work;
  job.begun = true;
  {
    const std::lock_guard lock(exchange->mutex);
    exchange->orders.push_back({.id = id, .blocking = std::move(job.blocking)});
  }
  exchange->changed.notify_one();
  if (job.timeout > kSlowAfter) {
    job.timer = loop.after(kSlowAfter, [this, id] { release_slot(id); });
  } else {
    job.timer = loop.after(job.timeout, [this, id] { time_out(id); });
  }
}

void WorkThreads::State::refuse(uint64_t id, WorkOutcome outcome) {
  auto job = std::move(jobs.extract(id).mapped());
  job.callbacks.done(outcome);
}

void WorkThreads::State::release_slot(uint64_t id) {
  Job& job = jobs.at(id);
  job.is_slow = true;
  ++slow_at_work;
  job.timer = loop.after(job.timeout - kSlowAfter, [this, id] { time_out(id); });
  begin_soon();
  if (auto became_slow = std::exchange(job.callbacks.became_slow, nullptr)) became_slow();
}

void WorkThreads::State::time_out(uint64_t id) {
  Job& job = jobs.at(id);
  job.timer.reset();
  if (!std::exchange(job.is_slow, true)) ++slow_at_work;
  job.hangs = true;
  hanging.insert(job.name);
  begin_soon();
  if (auto done = std::exchange(job.callbacks.done, nullptr)) done(WorkOutcome::timed_out);
}

void WorkThreads::State::ended(uint64_t id) {
  auto job = std::move(jobs.extract(id).mapped());
  job.timer.reset();
  --at_work;
  if (job.is_slow) --slow_at_work;
  stop_spare_thread();
  if (job.hangs) hanging.erase(hanging.find(job.name));
  begin_soon();
  if (job.hangs) {
    if (job.callbacks.ended_late) job.callbacks.ended_late();
  } else if (job.callbacks.done) {
    job.callbacks.done(WorkOutcome::done);
  }
}

/// One spare thread stays. More would cost memory, and a thread starts quickly.
void WorkThreads::State::stop_spare_thread() {
  if (threads <= at_work + waiting.size() + 1) return;
  --threads;
  {
    const std::lock_guard lock(exchange->mutex);
    ++exchange->threads_to_stop;
  }
  exchange->changed.notify_one();
}

WorkThreads::WorkThreads(EventLoop& loop, size_t max_concurrent)
    : state_(std::make_shared<State>(loop, max_concurrent)) {
  state_->self = state_;
  state_->exchange->loop = &loop;
  state_->exchange->ended = [weak = std::weak_ptr(state_)](uint64_t id) {
    if (const auto state = weak.lock()) state->ended(id);
  };
}

WorkThreads::~WorkThreads() {
  {
    const std::lock_guard lock(state_->exchange->mutex);
    state_->exchange->loop = nullptr;
    state_->exchange->orders.clear();
  }
  state_->exchange->changed.notify_all();
}

Subscription WorkThreads::run(std::string name, Milliseconds timeout, Task blocking,
                              Callbacks callbacks) {
  const uint64_t id = state_->next_id++;
  State::Job& job = state_->jobs[id];
  job.name = std::move(name);
  job.timeout = timeout;
  job.blocking = std::move(blocking);
  job.callbacks = std::move(callbacks);
  state_->waiting.push_back(id);
  state_->begin_soon();
  return Subscription([weak = std::weak_ptr(state_), id] {
    const auto state = weak.lock();
    if (!state) return;
    const auto it = state->jobs.find(id);
    if (it == state->jobs.end()) return;
    // Started work is still timed, so that a hang is detected.
    if (it->second.begun) {
      it->second.callbacks = {};
    } else {
      state->jobs.erase(it);
    }
  });
}

size_t WorkThreads::hanging() const { return state_->hanging.size(); }

}  // namespace patchbay::loop
