#include "loop/executor.h"

#include <pthread.h>

#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/scoped_signal_block.h"

namespace patchbay::loop {

/// Shared by the threads and the owner. A hung thread keeps it alive.
struct Executor::Threads {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Task> started;  // Guarded by mutex, as all below.
  size_t idle = 0;
  bool ended = false;  ///< No owner is left.

  void work();
  /// False: this thread must end.
  bool wait_for_work(std::unique_lock<std::mutex>& lock);
};

void Executor::Threads::work() {
  ::pthread_setname_np(::pthread_self(), "work");
  std::unique_lock lock(mutex);
  while (wait_for_work(lock)) {
    Task task = std::move(started.front());
    started.pop_front();
    lock.unlock();
    task();
    task = nullptr;  // Destroying its captures may take long.
    lock.lock();
  }
}

bool Executor::Threads::wait_for_work(std::unique_lock<std::mutex>& lock) {
  ++idle;
  while (started.empty() && !ended) {
    if (idle == 1) {
      changed.wait(lock);
    } else if (changed.wait_for(lock, kIdleTime) == std::cv_status::timeout && idle > 1) {
      break;
    }
  }
  --idle;
  return !started.empty();
}

class Executor::Owner {
 public:
  Owner() = default;
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner() {
    {
      const std::lock_guard lock(threads->mutex);
      threads->ended = true;
    }
    threads->changed.notify_all();
  }

  const std::shared_ptr<Threads> threads = std::make_shared<Threads>();
};

Executor::Executor() : owner_(std::make_shared<Owner>()) {}

bool Executor::start(Task& work) {
  const auto threads = owner_->threads;
  const std::lock_guard lock(threads->mutex);
  threads->started.push_back(std::move(work));
  if (threads->started.size() <= threads->idle) {
    threads->changed.notify_one();
    return true;
  }
  // Signals are for the loop's thread: a hung thread must not receive one.
  const ScopedSignalBlock signal_block;
  try {
    std::thread([threads] { threads->work(); }).detach();
    return true;
  } catch (const std::system_error&) {
    work = std::move(threads->started.back());
    threads->started.pop_back();
    return false;
  }
}

bool Executor::run(Task work, Milliseconds within) {
  const auto promise = std::make_shared<std::promise<void>>();
  const auto done = promise->get_future();
  Task task = [work = std::move(work), promise]() mutable {
    work();
    promise->set_value();
  };
  return start(task) && done.wait_for(within) == std::future_status::ready;
}

}  // namespace patchbay::loop
