#include "loop/turns.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>

namespace patchbay::loop {
namespace {

/// All there are. Never destroyed: who looks does so until the process ends.
struct AllTurns {
  std::mutex mutex;
  std::vector<const Turns*> threads;  // Guarded by mutex.
};
AllTurns& all_turns() {
  static auto* the_turns = new AllTurns;
  return *the_turns;
}

constexpr int kNobodySleeps = -1;
/// The timer of who sleeps.
std::atomic<int>& sleeper() {
  static std::atomic<int> the_sleeper = kNobodySleeps;
  return the_sleeper;
}

void set_timer(int timer_fd) {
  itimerspec time{};
  time.it_value.tv_sec = std::chrono::duration_cast<std::chrono::seconds>(Turns::kLong).count();
  timerfd_settime(timer_fd, 0, &time, nullptr);
}

}  // namespace

Turns::Turns(const char* thread) : thread_(thread), id_(gettid()) {
  const std::lock_guard lock(all_turns().mutex);
  all_turns().threads.push_back(this);
}

Turns::~Turns() {
  const std::lock_guard lock(all_turns().mutex);
  std::erase(all_turns().threads, this);
}

void Turns::begin(const char* doing) {
  since_ = std::chrono::steady_clock::now().time_since_epoch().count();
  doing_ = doing;
  // Either it is seen here that somebody sleeps, or they see what is begun: the order of these two,
  // and of those in wake_by() and look_at_all(), is the same for all threads.
  if (sleeper() == kNobodySleeps) return;
  if (const int timer = sleeper().exchange(kNobodySleeps); timer != kNobodySleeps) set_timer(timer);
}

std::vector<Turns::Seen> Turns::look_at_all() {
  std::vector<Seen> all;
  const std::lock_guard lock(all_turns().mutex);
  for (const Turns* turns : all_turns().threads) {
    Seen& seen = all.emplace_back(
        Seen{.thread = turns->thread_, .id = turns->id_, .doing = turns->doing_, .since = {}});
    seen.since = Time(Time::duration(turns->since_));
  }
  return all;
}

void Turns::wake_by(int timer_fd) { sleeper() = timer_fd; }
void Turns::wake_nobody() { sleeper() = kNobodySleeps; }

}  // namespace patchbay::loop
