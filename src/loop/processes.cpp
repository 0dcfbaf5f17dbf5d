#include "loop/processes.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "loop/program_start.h"

namespace patchbay::loop {
namespace {

/// The id of a process group is the pid of its leader. The kernel does not reuse it until the
/// leader is reaped and the group is empty.
void kill_group(pid_t leader) { ::kill(-leader, SIGKILL); }

ChildResult result_of(const siginfo_t& info) {
  using Kind = ChildResult::Kind;
  return {.kind = info.si_code == CLD_EXITED ? Kind::exited : Kind::signalled,
          .number = info.si_status};
}

/// Marks a start as released when its work thread has finished with it, or will never begin.
struct StartGuard {
  explicit StartGuard(std::shared_ptr<ProgramStart> program_start)
      : start(std::move(program_start)) {}
  StartGuard(const StartGuard&) = delete;
  StartGuard& operator=(const StartGuard&) = delete;
  ~StartGuard() { start->released = true; }

  std::shared_ptr<ProgramStart> start;
};

}  // namespace

struct Processes::Run {
  std::shared_ptr<ProgramStart> start = std::make_shared<ProgramStart>();
  ProcessEvents events{};
  std::shared_ptr<const void> until_ended{};
  Subscription starting{};
  bool is_program = false;
  std::optional<ChildResult> end{};

  /// The pid. 0 after it was reaped.
  [[nodiscard]] pid_t pid() const { return end ? 0 : start->pid.load(); }
  [[nodiscard]] bool is_active() const { return !start->cancelled; }
  /// Whether no further event can follow.
  [[nodiscard]] bool is_finished() const {
    if (end) return is_program || !is_active();
    // It was not started, or failed before it had a process.
    return !is_active() && start->released && start->pid == 0;
  }
  void kill() const {
    const pid_t process = pid();
    if (process == 0) return;
    ::kill(process, SIGKILL);  // It may not lead a group yet.
    kill_group(process);
  }
  void reap() {
    const pid_t process = pid();
    if (process == 0) return;
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
      end = ChildResult{.kind = ChildResult::Kind::signalled,
                        .number = SIGKILL};  // Killed before it set its pid, and reaped.
    } else if (info.si_pid != 0) {
      kill_group(process);
      ::waitpid(process, nullptr, WNOHANG);
      end = result_of(info);
    }
  }
};

Subscription Processes::start(ProcessSpec spec, BlockingWork& work, ProcessEvents events) {
  watch_sigchld();
  erase_finished();
  const auto run = std::make_shared<Run>();
  run->events = std::move(events);
  run->until_ended = std::move(spec.until_ended);
  ProgramStart& start = *run->start;
  start.arguments = std::move(spec.arguments);
  start.environment = std::move(spec.environment);
  start.output = std::move(spec.output);
  start.socket = std::move(spec.socket);
  runs_.push_back(run);
  run->starting = work.run(
      "program " + start.arguments.front(), spec.start_within,
      [guard = std::make_shared<StartGuard>(run->start)] { start_program(*guard->start); },
      weak_self_.guard([weak = std::weak_ptr(run)](Processes& processes, WorkOutcome outcome) {
        if (const auto strong = weak.lock()) processes.started(strong, outcome);
      }));
  return Subscription(weak_self_.guard([weak = std::weak_ptr(run)](Processes& processes) {
    const auto strong = weak.lock();
    if (!strong) return;
    processes.cancel(*strong);
    processes.erase_finished();
  }));
}

void Processes::watch_sigchld() {
  if (!signal_) signal_ = loop_.watch_signal(SIGCHLD, [this] { on_child(); });
}

void Processes::started(const RunPtr& run, WorkOutcome outcome) {
  using Kind = ChildResult::Kind;
  const int error = run->start->error;
  if (outcome == WorkOutcome::done && error == 0) {
    run->is_program = true;
    std::exchange(run->events.started, nullptr)();
    return on_child();  // It may have ended before `started`.
  }
  auto ended = std::move(run->events.ended);
  cancel(*run);
  report_ends();
  switch (outcome) {
    case WorkOutcome::done:
      return ended({.kind = Kind::cannot_start, .reason = std::generic_category().message(error)});
    case WorkOutcome::timed_out:
    case WorkOutcome::still_hanging:
      return ended(
          {.kind = Kind::hung,
           .reason = printable(run->start->arguments.front(), 500) +
                     " does not start: the file system of the program or its interpreter hangs"});
    case WorkOutcome::no_thread:
      return ended({.kind = Kind::no_thread});
  }
}

void Processes::cancel(Run& run) {
  run.events = {};
  run.starting.reset();
  run.start->cancelled = true;
  run.kill();
}

/// Erases cancelled runs, which are not reported. A program that ended by itself is not cancelled.
void Processes::erase_finished() {
  std::erase_if(runs_, [](const RunPtr& run) { return !run->is_active() && run->is_finished(); });
}

/// Called on SIGCHLD: a child changed its state.
void Processes::on_child() {
  reap_runs();
  if (reaps_inherited_) reap_inherited_children();
  report_ends();
}

void Processes::reap_runs() {
  for (const RunPtr& run : runs_) run->reap();
}

/// Reaps the children that this process inherited, but no process whose start is still in progress.
void Processes::reap_inherited_children() {
  while (true) {
    siginfo_t info{};
    if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return;
    const auto run = std::ranges::find(runs_, info.si_pid, &Run::pid);
    if (run != runs_.end()) {
      (*run)->reap();
    } else {
      ::waitpid(info.si_pid, nullptr, WNOHANG);
    }
  }
}

void Processes::report_ends() {
  std::vector<RunPtr> finished;
  std::erase_if(runs_, [&](const RunPtr& run) {
    const bool is_finished = run->is_finished();
    if (is_finished) finished.push_back(run);
    return is_finished;
  });
  for (const RunPtr& run : finished) {
    run->until_ended.reset();
    if (auto ended = std::move(run->events.ended); ended && run->end) ended(*run->end);
  }
}

Subscription Processes::reap_inherited() {
  watch_sigchld();
  reaps_inherited_ = true;
  loop_.post(weak_self_.guard(&Processes::on_child));  // Children that ended earlier.
  return Subscription(
      weak_self_.guard([](Processes& processes) { processes.reaps_inherited_ = false; }));
}

void Processes::kill_all() {
  signal_.reset();
  for (const RunPtr& run : runs_) cancel(*run);
  runs_.clear();
}

}  // namespace patchbay::loop
