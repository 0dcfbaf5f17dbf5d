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

/// Frees what libevent makes.
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

/// A thread that runs libevent's loop, and sleeps while nothing happens there.
class EventThread {
 public:
  EventThread() = default;
  EventThread(const EventThread&) = delete;
  EventThread& operator=(const EventThread&) = delete;
  ~EventThread() { finish(); }

  /// Once. `name`: as tools show it.
  Result<void> start(const char* name);
  /// Joins it. What was posted and has not run will not. What was made on its base may be freed
  /// from then on, by whoever does it.
  void finish();

  /// Runs `task` there, soon, or after that time. Any thread.
  void post(std::function<void()> task);
  void after(std::chrono::milliseconds delay, std::function<void()> task);

  /// The same as after(); the thread itself.
  void run_after(std::chrono::milliseconds delay, std::function<void()> task);
  /// Whether the caller is this thread.
  [[nodiscard]] bool is_current() const;
  /// The thread itself, or when it has finished.
  [[nodiscard]] event_base* base() const { return base_.get(); }

 private:
  /// What runs once, when its time has come.
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
