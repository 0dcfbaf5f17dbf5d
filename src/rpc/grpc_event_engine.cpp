#include <pthread.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include <absl/functional/any_invocable.h>
#include <absl/status/status.h>

#include "rpc/grpc_setup.h"

namespace patchbay::rpc {

using grpc_event_engine::experimental::EventEngine;

namespace {

using grpc_event_engine::experimental::EndpointConfig;
using grpc_event_engine::experimental::MemoryAllocator;
using grpc_event_engine::experimental::MemoryAllocatorFactory;

using Clock = std::chrono::steady_clock;

/// Runs tasks on one thread at their due time.
class TimerQueue {
 public:
  struct Key {
    Clock::time_point due;
    intptr_t number;  ///< Orders tasks of the same time.
    auto operator<=>(const Key&) const = default;
  };

  /// `self` is this object; the thread keeps it alive.
  Key add(const std::shared_ptr<TimerQueue>& self, Clock::duration when,
          absl::AnyInvocable<void()> task) {
    const std::lock_guard lock(mutex_);
    const Key key{Clock::now() + when, ++last_};
    const auto added = tasks_.emplace(key, std::move(task)).first;
    const bool first = added == tasks_.begin();
    if (!thread_.joinable()) {
      thread_ = std::thread([self] { self->work(); });
    } else if (first) {
      changed_.notify_one();
    }
    return key;
  }

  bool cancel(const Key& key) {
    // The task is destroyed without the lock.
    const auto cancelled = [&] {
      const std::lock_guard lock(mutex_);
      return tasks_.extract(key);
    }();
    return !cancelled.empty();
  }

  bool is_current_thread() {
    const std::lock_guard lock(mutex_);
    return thread_.get_id() == std::this_thread::get_id();
  }

  /// Runs no further task after the current one.
  void end() {
    std::thread thread;
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
      thread = std::move(thread_);
    }
    changed_.notify_one();
    if (!thread.joinable()) return;
    // A task may own the last reference to the engine.
    thread.get_id() == std::this_thread::get_id() ? thread.detach() : thread.join();
  }

 private:
  void work() {
    ::pthread_setname_np(::pthread_self(), "gRPC tasks");
    std::unique_lock lock(mutex_);
    while (!ending_) {
      if (tasks_.empty()) {
        changed_.wait(lock);
      } else if (const auto due = tasks_.begin()->first.due; due > Clock::now()) {
        changed_.wait_until(lock, due);
      } else {
        auto task = tasks_.extract(tasks_.begin());
        lock.unlock();
        task.mapped()();
        task = {};
        lock.lock();
      }
    }
  }

  std::mutex mutex_;  ///< Guards all below.
  std::condition_variable changed_;
  std::map<Key, absl::AnyInvocable<void()>> tasks_;
  intptr_t last_ = 0;
  bool ending_ = false;
  std::thread thread_;  ///< Starts with the first task.
};

class SingleThreadEventEngine final : public EventEngine {
 public:
  ~SingleThreadEventEngine() override { tasks_->end(); }

  void Run(Closure* closure) override { RunAfter({}, closure); }
  void Run(absl::AnyInvocable<void()> closure) override { RunAfter({}, std::move(closure)); }
  TaskHandle RunAfter(Duration when, Closure* closure) override {
    return RunAfter(when, absl::AnyInvocable<void()>([closure] { closure->Run(); }));
  }
  TaskHandle RunAfter(Duration when, absl::AnyInvocable<void()> closure) override {
    const auto key = tasks_->add(tasks_, when, std::move(closure));
    return {.keys = {key.due.time_since_epoch().count(), key.number}};
  }
  bool Cancel(TaskHandle handle) override {
    return tasks_->cancel({Clock::time_point(Clock::duration(handle.keys[0])), handle.keys[1]});
  }
  bool IsWorkerThread() override { return tasks_->is_current_thread(); }

  absl::StatusOr<std::unique_ptr<Listener>> CreateListener(
      Listener::AcceptCallback /*on_accept*/,
      absl::AnyInvocable<void(absl::Status)> /*on_shutdown*/, const EndpointConfig& /*config*/,
      std::unique_ptr<MemoryAllocatorFactory> /*memory_allocator_factory*/) override {
    return absl::UnimplementedError("only tasks are run here");
  }
  ConnectionHandle Connect(OnConnectCallback on_connect, const ResolvedAddress& /*address*/,
                           const EndpointConfig& /*config*/, MemoryAllocator /*memory_allocator*/,
                           Duration /*timeout*/) override {
    Run([on_connect = std::move(on_connect)]() mutable {
      on_connect(absl::UnimplementedError("only tasks are run here"));
    });
    return {.keys = {-1, -1}};
  }
  bool CancelConnect(ConnectionHandle /*handle*/) override { return false; }
  std::unique_ptr<DNSResolver> GetDNSResolver(
      const DNSResolver::ResolverOptions& /*options*/) override {
    return nullptr;
  }

 private:
  std::shared_ptr<TimerQueue> tasks_ = std::make_shared<TimerQueue>();
};

}  // namespace

std::unique_ptr<EventEngine> make_event_engine() {
  return std::make_unique<SingleThreadEventEngine>();
}

void install_event_engine() {
  grpc_event_engine::experimental::SetEventEngineFactory(make_event_engine);
}

}  // namespace patchbay::rpc
