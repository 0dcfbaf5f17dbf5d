#include "loop/watchdog.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/log.h"
#include "base/scoped_signal_block.h"
#include "base/unique_fd.h"
#include "loop/executor.h"
#include "loop/thread_activity.h"

namespace patchbay::loop {
namespace {

/// Timeout of the log's flush at the end of the process.
constexpr Milliseconds kFlushTimeout{100};
/// Timeout with the lines about blocked threads.
constexpr Milliseconds kFinalLogTimeout{300};

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

}  // namespace

struct Watchdog::Impl {
  explicit Impl(ExitCodes codes) : exit_codes(codes) {}

  Result<void> open();
  [[noreturn]] void watch();
  void receive_signals();
  void check();
  [[noreturn]] void exit_now() const;

  /// Before on_signal(); running; asked to end, or ending.
  enum class Phase { early, running, ending };

  const ExitCodes exit_codes;
  UniqueFd signals;
  StallDetector stall_detector;  ///< Used by the watchdog's thread only.
  std::mutex mutex;              ///< For all below.
  Phase phase = Phase::early;
  std::function<void()> end;
};

Result<void> Watchdog::Impl::open() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  signals = UniqueFd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals) return fail_errno("cannot wait for signals", errno);
  return {};
}

void Watchdog::Impl::watch() {
  ::pthread_setname_np(::pthread_self(), "watchdog");
  bool asked = false;
  Time next = std::chrono::steady_clock::now() + ThreadActivity::kStallTime;
  while (true) {
    pollfd waiting{.fd = signals.get(), .events = POLLIN, .revents = 0};
    const auto time =
        std::chrono::ceil<Milliseconds>(next - std::chrono::steady_clock::now()).count();
    const int ready = ::poll(&waiting, 1, static_cast<int>(std::max<int64_t>(time, 0)));
    if (ready > 0) {
      receive_signals();
      if (!std::exchange(asked, true)) next = std::chrono::steady_clock::now() + kShutdownTimeout;
    } else if (ready == 0) {
      if (asked) exit_now();
      check();
      next += ThreadActivity::kStallTime;
    }
  }
}

void Watchdog::Impl::receive_signals() {
  signalfd_siginfo info{};
  while (::read(signals.get(), &info, sizeof info) > 0) {
  }
  const std::lock_guard lock(mutex);
  if (phase == Phase::early) {
    log::flush(kFlushTimeout);
    ::_exit(exit_codes.early);
  }
  if (phase == Phase::running) std::exchange(end, [] {})();
}

void Watchdog::Impl::check() {
  const Time now = std::chrono::steady_clock::now();
  for (const auto& change : stall_detector.update(now, ThreadActivity::sample_all()))
    log_change(change);
}

void Watchdog::Impl::exit_now() const {
  // A hung thread may have the log's lock.
  static_cast<void>(Executor().run(
      [] {
        log_active_threads();
        log::flush(kFlushTimeout);
      },
      kFinalLogTimeout));
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
