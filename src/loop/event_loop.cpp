#include "loop/event_loop.h"

#include <pthread.h>
#include <signal.h>
#include <uv.h>

#include <atomic>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

#include "loop/executor.h"
#include "loop/may_block.h"
#include "loop/processes.h"
#include "loop/thread_activity.h"
#include "loop/work_queue.h"

namespace patchbay::loop {
namespace {

/// A libuv handle with its callback. libuv frees handles later (uv_close), so each is on the heap
/// and outlives its Subscription by one loop iteration. `alive` becomes false at once. A callback
/// that ends its own Subscription is not called again, and is not destroyed while it runs.
template <typename UvHandle, typename Callback>
struct Handle {
  UvHandle uv{};
  Callback callback;
  bool alive = true;

  uv_handle_t* base() {
    // libuv's idiom: every handle type begins with uv_handle_t.
    return reinterpret_cast<uv_handle_t*>(&uv);
  }
};

using TimerHandle = Handle<uv_timer_t, Task>;
using PollHandle = Handle<uv_poll_t, std::move_only_function<void(FdEvent)>>;
using ExceptionalHandle = Handle<uv_poll_t, std::move_only_function<void()>>;
using OneEventHandle = Handle<uv_poll_t, Task>;
using SignalHandle = Handle<uv_signal_t, Task>;

template <typename H>
H* self(void* data) {
  return static_cast<H*>(data);
}

template <typename H>
Subscription subscription_of(H* handle) {
  handle->uv.data = handle;
  return Subscription([handle] {
    handle->alive = false;
    uv_close(handle->base(), [](uv_handle_t* h) { delete self<H>(h->data); });
  });
}

/// Marks the activity of the loop's thread for a scope.
ThreadActivity::ScopedActivity begin_activity(const uv_loop_t* loop, const char* doing) {
  return {*self<ThreadActivity>(loop->data), doing};
}

void on_timer(uv_timer_t* timer) {
  auto* handle = self<TimerHandle>(timer->data);
  const auto scope = begin_activity(timer->loop, "a timer");
  if (handle->alive) handle->callback();
}

void start_polling(PollHandle* handle);

void on_poll(uv_poll_t* poll, int status, int /*events*/) {
  auto* handle = self<PollHandle>(poll->data);
  if (!handle->alive) return;
  const auto scope = begin_activity(poll->loop, "events of a descriptor");
  handle->callback(status < 0 ? FdEvent::error : FdEvent::readable);
  // libuv stops a handle after an error, such as an overflow of netlink.
  if (status < 0 && handle->alive) start_polling(handle);
}

void start_polling(PollHandle* handle) { uv_poll_start(&handle->uv, UV_READABLE, on_poll); }

/// libuv fails to create a handle only if memory or descriptors are exhausted at start.
void abort_on_failure(int result) {
  if (result != 0) std::abort();
}

/// Calls `callback` at the first event or error of `fd`.
template <uv_poll_event kEvent>
Subscription poll_once(uv_loop_t* loop, int fd, Task callback) {
  auto* handle = new OneEventHandle{.callback = std::move(callback)};
  abort_on_failure(uv_poll_init(loop, &handle->uv, fd));
  auto subscription = subscription_of(handle);
  uv_poll_start(&handle->uv, kEvent, [](uv_poll_t* poll, int /*status*/, int /*events*/) {
    auto* h = self<OneEventHandle>(poll->data);
    uv_poll_stop(&h->uv);
    const auto scope = begin_activity(
        poll->loop, kEvent == UV_WRITABLE ? "a writable descriptor" : "the end of a connection");
    if (h->alive) h->callback();
  });
  return subscription;
}

/// The process starts with blocked signals, so that no other thread receives them.
void unblock(int signal_number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal_number);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace

struct UvLoop::Impl {
  Impl(UvLoop& self, Executor its_executor, const char* thread)
      : activity(thread),
        executor(std::move(its_executor)),
        work_queue(std::in_place, self),
        processes(self) {}

  ThreadActivity activity;
  uv_loop_t loop{};
  uv_async_t wake_up{};
  // Runs tasks that the loop's own thread posted after all simultaneous events are handled. They
  // need no system call to wake the loop.
  uv_idle_t keep_running{};                     ///< While active, the loop does not block.
  uv_check_t after_poll{};                      ///< After the descriptors.
  std::atomic<std::thread::id> running_thread;  ///< Thread of run(). Default id: not running.
  std::mutex mutex;
  std::deque<Task> posted;  // Guarded by mutex.
  Executor executor;
  std::optional<WorkQueue> work_queue;  ///< For work().
  Processes processes;

  void run_posted() {
    std::deque<Task> tasks;
    {
      const std::lock_guard lock(mutex);
      tasks.swap(posted);
      uv_idle_stop(&keep_running);
    }
    for (Task& task : tasks) {
      const ThreadActivity::ScopedActivity scope(activity, "what was posted");
      task();
    }
  }
};

UvLoop::UvLoop(const char* thread) : UvLoop(Executor(), thread) {}

UvLoop::UvLoop(Executor executor, const char* thread)
    : impl_(std::make_unique<Impl>(*this, std::move(executor), thread)) {
  abort_on_failure(uv_loop_init(&impl_->loop));
  impl_->loop.data = &impl_->activity;
  abort_on_failure(uv_async_init(&impl_->loop, &impl_->wake_up,
                                 [](uv_async_t* async) { self<Impl>(async->data)->run_posted(); }));
  impl_->wake_up.data = impl_.get();
  abort_on_failure(uv_idle_init(&impl_->loop, &impl_->keep_running));
  abort_on_failure(uv_check_init(&impl_->loop, &impl_->after_poll));
  impl_->after_poll.data = impl_.get();
  abort_on_failure(uv_check_start(
      &impl_->after_poll, [](uv_check_t* check) { self<Impl>(check->data)->run_posted(); }));
  uv_unref(reinterpret_cast<uv_handle_t*>(&impl_->after_poll));
}

void UvLoop::end_processes() { impl_->processes.kill_all(); }

UvLoop::~UvLoop() {
  uv_close(reinterpret_cast<uv_handle_t*>(&impl_->wake_up), nullptr);
  uv_close(reinterpret_cast<uv_handle_t*>(&impl_->keep_running), nullptr);
  uv_close(reinterpret_cast<uv_handle_t*>(&impl_->after_poll), nullptr);
  end_processes();
  impl_->work_queue.reset();
  uv_run(&impl_->loop, UV_RUN_DEFAULT);           // Frees the handles.
  abort_on_failure(uv_loop_close(&impl_->loop));  // Busy: a Subscription outlived the loop.
}

void UvLoop::run() {
  const MayBlock never(false);
  impl_->running_thread = std::this_thread::get_id();
  uv_run(&impl_->loop, UV_RUN_DEFAULT);
  impl_->running_thread = std::thread::id();
}

ThreadActivity& UvLoop::activity() { return impl_->activity; }

void UvLoop::stop() { uv_stop(&impl_->loop); }

void UvLoop::post(Task task) {
  const std::lock_guard lock(impl_->mutex);
  impl_->posted.push_back(std::move(task));
  if (impl_->running_thread == std::this_thread::get_id()) {
    uv_idle_start(&impl_->keep_running, [](uv_idle_t*) {});
  } else {
    uv_async_send(&impl_->wake_up);
  }
}

Subscription UvLoop::after(Milliseconds delay, Task task) {
  auto* handle = new TimerHandle{.callback = std::move(task)};
  abort_on_failure(uv_timer_init(&impl_->loop, &handle->uv));
  auto subscription = subscription_of(handle);
  uv_update_time(&impl_->loop);
  abort_on_failure(uv_timer_start(&handle->uv, on_timer, static_cast<uint64_t>(delay.count()), 0));
  return subscription;
}

Subscription UvLoop::every(Milliseconds period, std::move_only_function<void()> task) {
  auto* handle = new TimerHandle{.callback = std::move(task)};
  abort_on_failure(uv_timer_init(&impl_->loop, &handle->uv));
  auto subscription = subscription_of(handle);
  const auto ms = static_cast<uint64_t>(period.count());
  abort_on_failure(uv_timer_start(&handle->uv, on_timer, ms, ms));
  return subscription;
}

Subscription UvLoop::watch_readable(int fd, std::move_only_function<void(FdEvent)> on_event) {
  auto* handle = new PollHandle{.callback = std::move(on_event)};
  abort_on_failure(uv_poll_init(&impl_->loop, &handle->uv, fd));
  auto subscription = subscription_of(handle);
  start_polling(handle);
  return subscription;
}

Subscription UvLoop::watch_exceptional(int fd, std::move_only_function<void()> on_change) {
  auto* handle = new ExceptionalHandle{.callback = std::move(on_change)};
  abort_on_failure(uv_poll_init(&impl_->loop, &handle->uv, fd));
  auto subscription = subscription_of(handle);
  uv_poll_start(&handle->uv, UV_PRIORITIZED, [](uv_poll_t* poll, int /*status*/, int /*events*/) {
    auto* h = self<ExceptionalHandle>(poll->data);
    const auto scope = begin_activity(poll->loop, "a file that reports changes");
    if (h->alive) h->callback();
  });
  return subscription;
}

Subscription UvLoop::when_writable(int fd, Task on_writable) {
  return poll_once<UV_WRITABLE>(&impl_->loop, fd, std::move(on_writable));
}

Subscription UvLoop::when_hung_up(int fd, Task on_hang_up) {
  return poll_once<UV_DISCONNECT>(&impl_->loop, fd, std::move(on_hang_up));
}

Subscription UvLoop::spawn(ProcessSpec spec, BlockingWork& work, ProcessEvents events) {
  return impl_->processes.start(std::move(spec), work, std::move(events));
}

void UvLoop::work(Task blocking, Task done) {
  impl_->work_queue->run_to_end(std::move(blocking), std::move(done));
}

Executor& UvLoop::executor() { return impl_->executor; }

Subscription UvLoop::watch_signal(int signal_number, Task on_signal) {
  auto* handle = new SignalHandle{.callback = std::move(on_signal)};
  abort_on_failure(uv_signal_init(&impl_->loop, &handle->uv));
  auto subscription = subscription_of(handle);
  abort_on_failure(uv_signal_start(
      &handle->uv,
      [](uv_signal_t* s, int /*number*/) {
        auto* h = self<SignalHandle>(s->data);
        const auto scope = begin_activity(s->loop, "a signal");
        if (h->alive) h->callback();
      },
      signal_number));
  unblock(signal_number);
  return subscription;
}

Subscription UvLoop::reap_inherited() { return impl_->processes.reap_inherited(); }

Time UvLoop::now() const { return std::chrono::steady_clock::now(); }

}  // namespace patchbay::loop
