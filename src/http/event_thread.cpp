#include "http/event_thread.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <string>
#include <utility>

#include <event2/thread.h>

#include "base/log.h"
#include "base/rate_limited_log.h"

namespace patchbay::http {
namespace {

thread_local const EventThread* current = nullptr;

/// Logs what libevent would otherwise write to standard error.
void log_of_libevent(int severity, const char* message) {
  static log::RateLimitedLog rare;
  if (severity < EVENT_LOG_WARN) return;
  if (const auto held = rare.admit(std::chrono::steady_clock::now())) {
    log::warning("libevent reported an error",
                 {{"reason", message}, {"suppressed", std::to_string(*held)}});
  }
}

}  // namespace

bool EventThread::is_current() const { return current == this; }

Result<void> EventThread::start(const char* name) {
  event_set_log_callback(log_of_libevent);
  static const bool threads = evthread_use_pthreads() == 0;
  base_.reset(threads ? event_base_new() : nullptr);
  if (!base_) return fail("cannot serve HTTP: libevent does not start");
  wake_.reset(event_new(
      base_.get(), -1, EV_PERSIST,
      [](evutil_socket_t, short, void* thread) { static_cast<EventThread*>(thread)->run_posted(); },
      this));
  event_add(wake_.get(), nullptr);
  thread_ = std::thread([this, name] {
    pthread_setname_np(pthread_self(), name);
    current = this;
    // Makes a write to a closed peer return an error, whatever the process does with SIGPIPE.
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
    event_base_loop(base_.get(), EVLOOP_NO_EXIT_ON_EMPTY);
  });
  return {};
}

void EventThread::finish() {
  if (!thread_.joinable()) return;
  post([this] { event_base_loopbreak(base_.get()); });
  thread_.join();
  delayed_.clear();
}

void EventThread::post(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(task));
  }
  event_active(wake_.get(), 0, 0);
}

void EventThread::run_posted() {
  std::vector<std::function<void()>> tasks;
  {
    const std::lock_guard lock(mutex_);
    tasks.swap(posted_);
  }
  for (const auto& task : tasks) task();
}

void EventThread::after(std::chrono::milliseconds delay, std::function<void()> task) {
  post([this, delay, task = std::move(task)]() mutable { run_after(delay, std::move(task)); });
}

void EventThread::run_after(std::chrono::milliseconds delay, std::function<void()> task) {
  auto delayed = std::make_unique<Delayed>(*this, std::move(task), nullptr);
  const auto run = [](evutil_socket_t, short, void* object) {
    auto* const it = static_cast<Delayed*>(object);
    auto& all = it->thread.delayed_;
    const auto found = std::ranges::find(all, it, &std::unique_ptr<Delayed>::get);
    const auto taken = std::move(all.extract(found).value());
    taken->task();
  };
  delayed->timer.reset(evtimer_new(base_.get(), run, delayed.get()));
  const timeval time = to_timeval(delay);
  evtimer_add(delayed->timer.get(), &time);
  delayed_.insert(std::move(delayed));
}

}  // namespace patchbay::http
