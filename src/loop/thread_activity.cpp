#include "loop/thread_activity.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>

namespace patchbay::loop {
namespace {

/// All activities. Never destroyed, because readers run until the process ends.
struct Registry {
  std::mutex mutex;
  std::vector<const ThreadActivity*> threads;  // Guarded by mutex.
};
Registry& registry() {
  static auto* the_registry = new Registry;
  return *the_registry;
}

constexpr int kNoTimer = -1;
/// The timer of the sleeping reader.
std::atomic<int>& wake_timer() {
  static std::atomic<int> the_timer = kNoTimer;
  return the_timer;
}

void set_timer(int timer_fd) {
  itimerspec time{};
  time.it_value.tv_sec =
      std::chrono::duration_cast<std::chrono::seconds>(ThreadActivity::kStallTime).count();
  timerfd_settime(timer_fd, 0, &time, nullptr);
}

}  // namespace

ThreadActivity::ThreadActivity(const char* thread) : thread_(thread), id_(gettid()) {
  const std::lock_guard lock(registry().mutex);
  registry().threads.push_back(this);
}

ThreadActivity::~ThreadActivity() {
  const std::lock_guard lock(registry().mutex);
  std::erase(registry().threads, this);
}

void ThreadActivity::begin(const char* doing) {
  since_ = std::chrono::steady_clock::now().time_since_epoch().count();
  doing_ = doing;
  // Either this thread sees the timer of the reader, or the reader sees this activity. All threads
  // see the stores here, in arm_wake_timer() and in sample_all() in the same order.
  if (wake_timer() == kNoTimer) return;
  if (const int timer = wake_timer().exchange(kNoTimer); timer != kNoTimer) set_timer(timer);
}

std::vector<ThreadActivity::Sample> ThreadActivity::sample_all() {
  std::vector<Sample> all;
  const std::lock_guard lock(registry().mutex);
  for (const ThreadActivity* activity : registry().threads) {
    Sample& sample = all.emplace_back(Sample{
        .thread = activity->thread_, .id = activity->id_, .doing = activity->doing_, .since = {}});
    sample.since = Time(Time::duration(activity->since_));
  }
  return all;
}

void ThreadActivity::arm_wake_timer(int timer_fd) { wake_timer() = timer_fd; }
void ThreadActivity::disarm_wake_timer() { wake_timer() = kNoTimer; }

}  // namespace patchbay::loop
