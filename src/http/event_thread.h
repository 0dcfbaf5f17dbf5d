#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include <event2/event.h>

#include "base/result.h"

namespace patchbay::http {

/// Frees objects of libevent.
template <auto Free>
struct EventDeleter {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Timer = std::unique_ptr<event, EventDeleter<event_free>>;

[[nodiscard]] inline timeval to_timeval(std::chrono::milliseconds time) {
  return {.tv_sec = time.count() / 1000, .tv_usec = time.count() % 1000 * 1000};
}

/// Runs libevent's loop on a thread that sleeps while there are no events.
class EventThread {
 public:
  EventThread() = default;
  EventThread(const EventThread&) = delete;
  EventThread& operator=(const EventThread&) = delete;
  ~EventThread() { finish(); }

  /// Starts the thread. Once. `name` is its name in tools.
  Result<void> start(const char* name);
  /// Joins the thread. Posted tasks that have not run are dropped. Afterwards any thread may free
  /// objects made on its base.
  void finish();

  /// Runs `task` on the thread, soon or after `delay`. Any thread.
  void post(std::function<void()> task);
  void after(std::chrono::milliseconds delay, std::function<void()> task);

  /// As after(), called on the thread itself.
  void run_after(std::chrono::milliseconds delay, std::function<void()> task);
  /// Whether the caller is this thread.
  [[nodiscard]] bool is_current() const;
  /// For the thread itself, or after finish().
  [[nodiscard]] event_base* base() const { return base_.get(); }

 private:
  /// A task with its timer.
  struct Delayed {
    EventThread& thread;
    std::function<void()> task;
    Timer timer;
  };

  void run_posted();

  std::unique_ptr<event_base, EventDeleter<event_base_free>> base_;
  Timer wake_;
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;  // Guarded by mutex_.
  std::set<std::unique_ptr<Delayed>> delayed_;
  std::thread thread_;
};

}  // namespace patchbay::http
