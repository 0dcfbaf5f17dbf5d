#include "loop/watchdog.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/log.h"
#include "base/signals_held.h"
#include "base/unique_fd.h"
#include "loop/standstill.h"
#include "loop/thread_call.h"
#include "loop/turns.h"

namespace patchbay::loop {
namespace {

/// What the log takes at most when the process is ended.
constexpr Milliseconds kLogWithin{100};
/// The same, with the lines that tell what hangs.
constexpr Milliseconds kLastWordsWithin{300};

/// Fires once, at that time; a time that has passed is now.
void set_once(const UniqueFd& timer, Milliseconds from_now) {
  const auto ns = std::max<std::chrono::nanoseconds>(from_now, std::chrono::nanoseconds(1));
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(ns);
  itimerspec time{};
  time.it_value = {.tv_sec = seconds.count(), .tv_nsec = (ns - seconds).count()};
  timerfd_settime(timer.get(), 0, &time, nullptr);
}

void forget_expiry(const UniqueFd& timer) {
  uint64_t count = 0;
  static_cast<void>(::read(timer.get(), &count, sizeof count));
}

std::string seconds_text(Milliseconds time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time).count()) + "s";
}

std::string call_text(pid_t thread) {
  const std::string call = call_of_thread(thread);
  return call.empty() ? "unknown" : call;
}

void tell(const Standstill::Change& change) {
  if (change.stands) {
    log::warning("a thread stands still", {{"thread", change.seen.thread},
                                           {"doing", change.seen.doing},
                                           {"for", seconds_text(change.lasted)},
                                           {"call", call_text(change.seen.id)}});
  } else {
    log::info("a thread goes on", {{"thread", change.seen.thread},
                                   {"was", change.seen.doing},
                                   {"after", seconds_text(change.lasted)}});
  }
}

/// Which threads are in the way of the end.
void tell_what_hangs() {
  constexpr const char* kMessage = "it did not end in time and is ended now";
  bool told = false;
  for (const Turns::Seen& seen : Turns::look_at_all()) {
    if (seen.doing == nullptr) continue;
    told = true;
    log::error(kMessage,
               {{"thread", seen.thread}, {"doing", seen.doing}, {"call", call_text(seen.id)}});
  }
  if (!told) log::error(kMessage, {{"thread", "main"}, {"call", call_text(::getpid())}});
}

/// Runs `task` in a thread of its own, and waits for its end only so long.
void run_within(Milliseconds at_most, std::function<void()> task) {
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
  };
  const auto state = std::make_shared<State>();
  try {
    std::thread([state, task = std::move(task)] {
      task();
      const std::lock_guard lock(state->mutex);
      state->done = true;
      state->changed.notify_all();
    }).detach();
  } catch (const std::system_error&) {
    return;
  }
  std::unique_lock lock(state->mutex);
  state->changed.wait_for(lock, at_most, [&] { return state->done; });
}

}  // namespace

struct Watchdog::Impl {
  explicit Impl(ExitCodes codes) : exit_codes(codes) {}

  Result<void> open();
  void watch();
  void signal();
  void look();
  [[noreturn]] void end_now() const;

  /// Nothing is there yet that would have to be put away; it runs; it has been asked to end, or
  /// does so.
  enum class Phase { early, running, ending };

  const ExitCodes exit_codes;
  UniqueFd signals;
  UniqueFd end_timer;
  UniqueFd look_timer;
  Standstill standstill;  ///< The thread's.
  std::mutex mutex;       ///< Of all below.
  Phase phase = Phase::early;
  bool asked = false;
  std::function<void()> end;
};

Result<void> Watchdog::Impl::open() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  signals = UniqueFd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  end_timer = UniqueFd(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  look_timer = UniqueFd(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!signals || !end_timer || !look_timer) return fail_errno("cannot wait for signals", errno);
  return {};
}

void Watchdog::Impl::watch() {
  ::pthread_setname_np(::pthread_self(), "watchdog");
  look();
  while (true) {
    std::array<pollfd, 3> waiting{pollfd{.fd = signals.get(), .events = POLLIN, .revents = 0},
                                  pollfd{.fd = end_timer.get(), .events = POLLIN, .revents = 0},
                                  pollfd{.fd = look_timer.get(), .events = POLLIN, .revents = 0}};
    if (::poll(waiting.data(), waiting.size(), -1) < 0) continue;
    if (waiting[0].revents != 0) signal();
    if (waiting[1].revents != 0) end_now();
    if (waiting[2].revents != 0) look();
  }
}

void Watchdog::Impl::signal() {
  signalfd_siginfo info{};
  while (::read(signals.get(), &info, sizeof info) > 0) {
  }
  const std::lock_guard lock(mutex);
  if (phase == Phase::early) {
    log::flush(kLogWithin);
    ::_exit(exit_codes.early);
  }
  if (std::exchange(asked, true)) return;
  set_once(end_timer, kEndWithin);
  if (phase == Phase::running) end();
}

void Watchdog::Impl::look() {
  forget_expiry(look_timer);
  // First: what is begun after the look sets the timer.
  Turns::wake_by(look_timer.get());
  const Time now = std::chrono::steady_clock::now();
  for (const auto& change : standstill.look(now, Turns::look_at_all())) tell(change);
  if (const auto next = standstill.next()) {
    Turns::wake_nobody();
    set_once(look_timer, std::chrono::duration_cast<Milliseconds>(*next - now));
  }
}

void Watchdog::Impl::end_now() const {
  // A thread that writes the log may hang with the log's lock.
  run_within(kLastWordsWithin, [] {
    tell_what_hangs();
    log::flush(kLogWithin);
  });
  ::_exit(exit_codes.hanging);
}

Result<Watchdog*> Watchdog::start(ExitCodes exit_codes) {
  static auto* impl = new Impl(exit_codes);  // The thread's, which has no end.
  if (auto opened = impl->open(); !opened) return std::unexpected(std::move(opened).error());
  const SignalsHeld held;
  try {
    std::thread([] { impl->watch(); }).detach();
  } catch (const std::system_error& error) {
    return fail_errno("cannot start a thread", error.code().value());
  }
  static Watchdog the_watchdog(*impl);
  return &the_watchdog;
}

Subscription Watchdog::on_signal(std::function<void()> end) {
  const std::lock_guard lock(impl_.mutex);
  impl_.phase = Impl::Phase::running;
  impl_.end = std::move(end);
  return Subscription([&impl = impl_] {
    const std::lock_guard ending(impl.mutex);
    impl.phase = Impl::Phase::ending;
    impl.end = nullptr;
  });
}

}  // namespace patchbay::loop
