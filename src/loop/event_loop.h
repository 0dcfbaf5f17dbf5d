#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/unique_fd.h"

namespace patchbay::loop {

using Time = std::chrono::steady_clock::time_point;
using Milliseconds = std::chrono::milliseconds;
using Task = std::move_only_function<void()>;

/// Keeps something going on the loop (a timer, a watched descriptor); destroying it stops that, and
/// its callback is never called again. Loop thread; a callback may destroy its own Subscription.
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

/// What a watched descriptor has to say. `error` is netlink's overflow (POLLERR) and the like: the
/// callback reads until nothing is left, then the loop goes on watching.
enum class FdEvent { readable, error };

/// A program to start. It gets /dev/null as its standard input, no other descriptors of ours, a
/// session and a process group of its own, and "/" as its directory.
struct ProcessSpec {
  std::vector<std::string> arguments;      ///< The program, absolute, and its arguments: no shell.
  std::vector<std::string> environment{};  ///< "NAME=value"; all that it gets.
  UniqueFd output{};                       ///< Its standard output and standard error.
  /// A start that takes longer hangs: it is given up, and the program never begins.
  Milliseconds start_within{};
  /// Kept until the process has ended, also when nothing of it is heard any more: one that was
  /// killed may yet wait for a device or a network file system.
  std::shared_ptr<const void> until_ended{};
};

/// What came of its start.
struct ProcessStart {
  enum class Kind {
    started,
    cannot_start,  ///< `reason` says why, without the program's name.
    hung,          ///< The file system of the program, or of what interprets it, does not answer.
    no_thread,     ///< There is no thread to start it.
  };
  Kind kind = Kind::started;
  std::string reason{};
};

/// How a process ended.
struct ProcessEnd {
  int exit_code = 0;
  int signal = 0;  ///< That ended it; 0: it exited.
};

/// What is told of a process: once how it started, and if it did, once its end.
struct ProcessEvents {
  std::move_only_function<void(ProcessStart)> started;
  std::move_only_function<void(ProcessEnd)> ended;
};

class BlockingWork;

/// The one thread that owns all state: timers, descriptors, blocking work in a pool. All calls are
/// the loop thread's, but for post(). Tests use a manual loop (test/fake/manual_loop.h).
class EventLoop {
 public:
  EventLoop() = default;
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;
  virtual ~EventLoop() = default;

  /// Runs `task` on the loop thread, after what was posted before. Any thread. Tasks posted after
  /// the loop has stopped are destroyed unrun.
  virtual void post(Task task) = 0;

  /// Once, after `delay`.
  [[nodiscard]] virtual Subscription after(Milliseconds delay, Task task) = 0;
  /// Again and again.
  [[nodiscard]] virtual Subscription every(Milliseconds period,
                                           std::move_only_function<void()> task) = 0;
  /// While `fd` has something to read. Level-triggered: read some hundred events per call, not all.
  /// End the Subscription before closing `fd`.
  [[nodiscard]] virtual Subscription watch_readable(
      int fd, std::move_only_function<void(FdEvent)> on_event) = 0;
  /// Whenever `fd` has something exceptional (POLLPRI): a file of /proc or /sys tells so that it
  /// has changed. End the Subscription before closing `fd`.
  [[nodiscard]] virtual Subscription watch_exceptional(
      int fd, std::move_only_function<void()> on_change) = 0;
  /// Once, when `fd` takes something to write: when it is connected, or cannot be.
  [[nodiscard]] virtual Subscription when_writable(int fd, Task on_writable) = 0;
  /// Starts a program, on a thread of `work`, which outlives it, and tells what becomes of it,
  /// later. Whatever of its process group is left at its end is killed, and what left the group
  /// where it becomes our child (see UvLoop::reap_inherited). To end the Subscription kills all
  /// that, too; nothing is told any more. No zombie stays behind.
  [[nodiscard]] virtual Subscription spawn(ProcessSpec spec, BlockingWork& work,
                                           ProcessEvents events) = 0;
  /// `blocking` in a pool thread, then `done` on the loop thread. `done` must guard against what it
  /// captured being gone (a stale result), since work cannot be called back.
  virtual void work(Task blocking, Task done) = 0;
  /// `on_signal` at each arrival of `signal_number`. Signals are blocked in all other threads.
  [[nodiscard]] virtual Subscription watch_signal(int signal_number, Task on_signal) = 0;

  [[nodiscard]] virtual Time now() const = 0;
};

class ThreadActivity;

/// The real loop, on libuv. Construct and run it in the same thread.
class UvLoop final : public EventLoop {
 public:
  UvLoop();
  ~UvLoop() override;  ///< Everything that was subscribed must be gone; waits for pool work.

  /// Until stop(). May be called again afterwards.
  void run();
  /// Programs that still run are killed, with what they leave behind: nobody waits for them any
  /// more. Blocks for 50 ms at most. The destructor does it, too.
  void end_processes();
  /// Ends run() after the current callback. Loop thread (post it from others).
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
  [[nodiscard]] Subscription spawn(ProcessSpec spec, BlockingWork& work,
                                   ProcessEvents events) override;
  void work(Task blocking, Task done) override;
  [[nodiscard]] Subscription watch_signal(int signal_number, Task on_signal) override;
  [[nodiscard]] Time now() const override;

  /// What the loop's thread is doing. A callback marks its kind; what is done before run() and
  /// after it is marked by who does it.
  [[nodiscard]] ThreadActivity& activity();

  /// Takes the ends of processes that are children of this process but were not started by spawn():
  /// those whose parents are gone, where this process is PID 1 or a subreaper. Kills those of them
  /// that come of a program of spawn() which has ended.
  [[nodiscard]] Subscription reap_inherited();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace patchbay::loop
