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
#include "base/scoped_signal_block.h"
#include "base/unique_fd.h"
#include "loop/stall_detector.h"
#include "loop/thread_activity.h"

namespace patchbay::loop {
namespace {

/// Timeout of the log's flush at the end of the process.
constexpr Milliseconds kFlushTimeout{100};
/// Timeout with the lines about blocked threads.
constexpr Milliseconds kFinalLogTimeout{300};

/// The timer fires once, at once if the time is past.
void arm_timer(const UniqueFd& timer, Milliseconds from_now) {
  const auto ns = std::max<std::chrono::nanoseconds>(from_now, std::chrono::nanoseconds(1));
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(ns);
  itimerspec time{};
  time.it_value = {.tv_sec = seconds.count(), .tv_nsec = (ns - seconds).count()};
  timerfd_settime(timer.get(), 0, &time, nullptr);
}

void drain_timer(const UniqueFd& timer) {
  uint64_t count = 0;
  static_cast<void>(::read(timer.get(), &count, sizeof count));
}

std::string seconds_text(Milliseconds time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time).count()) + "s";
}

void log_change(const StallDetector::Change& change) {
  if (change.stalled) {
    log::warning({"thread stalled", log::EventKind::degraded},
                 {{"thread", change.sample.thread},
                  {"activity", change.sample.doing},
                  {"duration", seconds_text(change.lasted)}});
  } else {
    log::info({"thread resumed", log::EventKind::degraded},
              {{"thread", change.sample.thread},
               {"activity", change.sample.doing},
               {"duration", seconds_text(change.lasted)}});
  }
}

/// Logs the threads that block the shutdown.
void log_active_threads() {
  constexpr const char* kMessage = "shutdown timed out: exiting";
  bool logged = false;
  for (const ThreadActivity::Sample& sample : ThreadActivity::sample_all()) {
    if (sample.doing == nullptr) continue;
    logged = true;
    log::error(kMessage, {{"thread", sample.thread}, {"activity", sample.doing}});
  }
  if (!logged) log::error(kMessage, {{"thread", "main"}});
}

/// Runs `task` on a separate thread and waits for it, with a timeout.
void run_with_timeout(Milliseconds at_most, std::function<void()> task) {
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
  void check();
  [[noreturn]] void exit_now() const;

  /// Before on_signal(); running; asked to end, or ending.
  enum class Phase { early, running, ending };

  const ExitCodes exit_codes;
  UniqueFd signals;
  UniqueFd end_timer;
  UniqueFd check_timer;
  StallDetector stall_detector;  ///< Used by the watchdog's thread only.
  std::mutex mutex;              ///< For all below.
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
  check_timer = UniqueFd(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!signals || !end_timer || !check_timer) return fail_errno("cannot wait for signals", errno);
  return {};
}

void Watchdog::Impl::watch() {
  ::pthread_setname_np(::pthread_self(), "watchdog");
  check();
  while (true) {
    std::array<pollfd, 3> waiting{pollfd{.fd = signals.get(), .events = POLLIN, .revents = 0},
                                  pollfd{.fd = end_timer.get(), .events = POLLIN, .revents = 0},
                                  pollfd{.fd = check_timer.get(), .events = POLLIN, .revents = 0}};
    if (::poll(waiting.data(), waiting.size(), -1) < 0) continue;
    if (waiting[0].revents != 0) signal();
    if (waiting[1].revents != 0) exit_now();
    if (waiting[2].revents != 0) check();
  }
}

void Watchdog::Impl::signal() {
  signalfd_siginfo info{};
  while (::read(signals.get(), &info, sizeof info) > 0) {
  }
  const std::lock_guard lock(mutex);
  if (phase == Phase::early) {
    log::flush(kFlushTimeout);
    ::_exit(exit_codes.early);
  }
  if (std::exchange(asked, true)) return;
  arm_timer(end_timer, kShutdownTimeout);
  if (phase == Phase::running) end();
}

void Watchdog::Impl::check() {
  drain_timer(check_timer);
  // Must come first: an activity that begins after the sample sets the timer.
  ThreadActivity::arm_wake_timer(check_timer.get());
  const Time now = std::chrono::steady_clock::now();
  for (const auto& change : stall_detector.update(now, ThreadActivity::sample_all()))
    log_change(change);
  if (const auto next = stall_detector.next()) {
    ThreadActivity::disarm_wake_timer();
    arm_timer(check_timer, std::chrono::duration_cast<Milliseconds>(*next - now));
  }
}

void Watchdog::Impl::exit_now() const {
  // A hung thread may have the log's lock.
  run_with_timeout(kFinalLogTimeout, [] {
    log_active_threads();
    log::flush(kFlushTimeout);
  });
  ::_exit(exit_codes.hanging);
}

Result<Watchdog*> Watchdog::start(ExitCodes exit_codes) {
  static auto* impl = new Impl(exit_codes);  // The thread never ends, so this is never freed.
  if (auto opened = impl->open(); !opened) return std::unexpected(std::move(opened).error());
  const ScopedSignalBlock signal_block;
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
