#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/unique_fd.h"
#include "loop/task.h"

namespace patchbay::loop {

/// A registration of a callback at the loop, such as a timer or a watched descriptor. When the
/// Subscription is destroyed, the registration ends, and the callback is never called again. Loop
/// thread; a callback may destroy its own Subscription.
class Subscription {
 public:
  Subscription() = default;
  explicit Subscription(Task stop) : stop_(std::move(stop)) {}
  Subscription(Subscription&& other) noexcept : stop_(std::exchange(other.stop_, nullptr)) {}
  Subscription& operator=(Subscription&& other) noexcept {
    if (this != &other) {
      reset();
      stop_ = std::exchange(other.stop_, nullptr);
    }
    return *this;
  }
  Subscription(const Subscription&) = delete;
  Subscription& operator=(const Subscription&) = delete;
  ~Subscription() { reset(); }

  explicit operator bool() const { return static_cast<bool>(stop_); }
  void reset() {
    if (auto stop = std::exchange(stop_, nullptr)) stop();
  }

 private:
  Task stop_;
};

/// An event of a watched descriptor. `error` is POLLERR, as after an overflow of netlink. The
/// callback must then read until no data is left. The loop continues to watch.
enum class FdEvent { readable, error };

/// A program to start. Its standard input is /dev/null, and its working directory is "/". It has
/// its own session and process group, and inherits no descriptors but those below.
struct ProcessSpec {
  static constexpr int kChildSocket = 3;

  std::vector<std::string> arguments;      ///< Absolute path and arguments; no shell is used.
  std::vector<std::string> environment{};  ///< "NAME=value"; the whole environment.
  UniqueFd output{};                       ///< Its standard output and standard error.
  UniqueFd socket{};                       ///< Its descriptor kChildSocket, if set.
  /// Timeout of the start. When it expires, the start is cancelled, and the program never runs.
  Milliseconds start_within{};
  /// This object is kept until the process has ended, even if the Subscription of the process ended
  /// before. A killed process can still wait for a device or a network file system.
  std::shared_ptr<const void> until_ended{};
};

/// The result of a program.
struct ChildResult {
  enum class Kind {
    exited,
    signalled,
    timed_out,     ///< Only from run_child().
    cannot_start,  ///< `reason` has the error, without the program's name.
    hung,          ///< It did not start in time; `reason` has the program's name.
    no_thread,     ///< No worker thread is available.
  };
  Kind kind = Kind::exited;
  int number = 0;        ///< The exit code, or the signal.
  std::string output{};  ///< From run_child(): the last bytes of standard output and error.
  std::string reason{};
};

/// Callbacks of a process. `ended` is called once, even if the program did not start.
struct ProcessEvents {
  Task started;
  std::move_only_function<void(ChildResult)> ended;
};

class BlockingWork;
class Executor;

/// Calls callbacks after a timer, an event of a descriptor, a signal, or blocking work. They run on
/// the loop thread, which owns all state. All functions are called on the loop thread, except
/// post() and executor(). Tests use a manual loop (test/fake/manual_loop.h).
class EventLoop {
 public:
  EventLoop() = default;
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;
  virtual ~EventLoop() = default;

  /// Runs `task` on the loop thread, in the order of the calls. Any thread. Tasks posted after the
  /// loop has stopped are destroyed without running.
  virtual void post(Task task) = 0;

  /// Calls `task` once, after `delay`.
  [[nodiscard]] virtual Subscription after(Milliseconds delay, Task task) = 0;
  /// Calls `task` periodically.
  [[nodiscard]] virtual Subscription every(Milliseconds period,
                                           std::move_only_function<void()> task) = 0;
  /// Calls `on_event` repeatedly while `fd` is readable, so a call need not read everything, and
  /// should read at most some hundred events. End the Subscription before closing `fd`.
  [[nodiscard]] virtual Subscription watch_readable(
      int fd, std::move_only_function<void(FdEvent)> on_event) = 0;
  /// Calls `on_change` when `fd` has exceptional data (POLLPRI), by which files of /proc or /sys
  /// report changes. End the Subscription before closing `fd`.
  [[nodiscard]] virtual Subscription watch_exceptional(
      int fd, std::move_only_function<void()> on_change) = 0;
  /// Calls `on_writable` once, when `fd` is writable. For connect(): when it succeeded or failed.
  [[nodiscard]] virtual Subscription when_writable(int fd, Task on_writable) = 0;
  /// Calls `on_hang_up` once, when the connection `fd` has ended: the peer hung up, or any copy of
  /// the descriptor was shut down. Unread data does not delay the call. End the Subscription before
  /// closing `fd`.
  [[nodiscard]] virtual Subscription when_hung_up(int fd, Task on_hang_up) = 0;
  /// Starts a program on a thread of `work`, and calls `events` later. `work` must outlive the
  /// program. When the program ends, the rest of its process group is killed. If the Subscription
  /// ends, the group is killed, and nothing is called. No zombies remain. A process that left the
  /// group is not killed.
  [[nodiscard]] virtual Subscription spawn(ProcessSpec spec, BlockingWork& work,
                                           ProcessEvents events) = 0;
  /// Runs `blocking` on a thread of the Executor, then `done` on the loop thread. Work cannot be
  /// cancelled, so objects that `done` uses may be gone when `done` runs: see WeakSelf. Nothing
  /// waits for the work at the end of the loop, so `blocking` must own everything it uses.
  virtual void work(Task blocking, Task done) = 0;
  /// Runs work that may hang. Any thread.
  [[nodiscard]] virtual Executor& executor() = 0;
  /// Calls `on_signal` for each signal with this number, and unblocks the signal in the loop
  /// thread. All other threads must block the signal.
  [[nodiscard]] virtual Subscription watch_signal(int signal_number, Task on_signal) = 0;

  [[nodiscard]] virtual Time now() const = 0;
};

class ThreadActivity;

/// The real loop, on libuv. Construct and run it in the same thread.
class UvLoop final : public EventLoop {
 public:
  /// `thread`: the name of the loop's thread in reports of stalls.
  explicit UvLoop(const char* thread = "loop");
  explicit UvLoop(Executor executor, const char* thread = "loop");
  /// All Subscriptions must have ended.
  ~UvLoop() override;

  /// Runs until stop(). May be called again afterwards.
  void run();
  /// Kills all running programs with their process groups. Does not wait for their end, and does
  /// not reap them, because this process is about to exit. The destructor calls end_processes(),
  /// too.
  void end_processes();
  /// Ends run() after the current callback. Loop thread; other threads post() it.
  void stop();

  void post(Task task) override;
  [[nodiscard]] Subscription after(Milliseconds delay, Task task) override;
  [[nodiscard]] Subscription every(Milliseconds period,
                                   std::move_only_function<void()> task) override;
  [[nodiscard]] Subscription watch_readable(
      int fd, std::move_only_function<void(FdEvent)> on_event) override;
  [[nodiscard]] Subscription watch_exceptional(int fd,
                                               std::move_only_function<void()> on_change) override;
  [[nodiscard]] Subscription when_writable(int fd, Task on_writable) override;
  [[nodiscard]] Subscription when_hung_up(int fd, Task on_hang_up) override;
  [[nodiscard]] Subscription spawn(ProcessSpec spec, BlockingWork& work,
                                   ProcessEvents events) override;
  void work(Task blocking, Task done) override;
  [[nodiscard]] Executor& executor() override;
  [[nodiscard]] Subscription watch_signal(int signal_number, Task on_signal) override;
  [[nodiscard]] Time now() const override;

  /// The activity of the loop's thread. The loop sets it to the kind of each callback. Callers set
  /// it before and after run().
  [[nodiscard]] ThreadActivity& activity();

  /// Reaps orphans when they end. An orphan is a process that spawn() did not start, and whose
  /// parent this process became as PID 1 or as a subreaper.
  [[nodiscard]] Subscription reap_inherited();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace patchbay::loop
