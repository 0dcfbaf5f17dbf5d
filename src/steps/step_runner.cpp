#include "steps/step_runner.h"

#include <fcntl.h>
#include <linux/usbdevice_fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/current_path.h"
#include "base/duration.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "loop/child_process.h"
#include "paths/path_checker.h"
#include "paths/path_follower.h"

namespace patchbay::steps {
namespace {

/// The kernel's major number of nodes under /dev/bus/usb.
constexpr unsigned kUsbDeviceMajor = 189;

std::string error_text(int error_number) { return std::generic_category().message(error_number); }

std::string open_fault(int error_number) {
  if (error_number == ENOENT) return "it does not exist";
  return "cannot open it: " + error_text(error_number);
}

std::string write_value(const Step& step, const paths::HostRoot& root) {
  // Nonblocking: a pipe without a reader and a serial line without a carrier would block for ever.
  const UniqueFd fd = root.open(step.path, O_WRONLY | O_TRUNC | O_NONBLOCK);
  if (!fd) return open_fault(errno);
  ssize_t written = -1;
  do {
    written = ::write(fd.get(), step.value.data(), step.value.size());
  } while (written < 0 && errno == EINTR);
  if (written < 0) return "the value was refused: " + error_text(errno);
  if (static_cast<size_t>(written) < step.value.size())
    return "only a part of the value was written";
  return {};
}

std::string reset_usb(const Step& step, const paths::HostRoot& root) {
  const UniqueFd fd = root.open(step.path, O_WRONLY | O_NONBLOCK);
  if (!fd) return open_fault(errno);
  // Other drivers may give this ioctl another meaning.
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0 || !S_ISCHR(status.st_mode) ||
      ::gnu_dev_major(status.st_rdev) != kUsbDeviceMajor) {
    return "it is not the node of a USB device";
  }
  if (::ioctl(fd.get(), USBDEVFS_RESET, 0) != 0) return "cannot reset it: " + error_text(errno);
  return {};
}

/// Runs a step that writes or resets. Returns the reason of a failure, or an empty text. May block,
/// or hang; any thread.
///
/// `write` works like the shell's `>` on an existing file: it truncates the file and writes the
/// value unchanged, in one call. So files of /sys receive it as one command. No file is created.
std::string run_blocking_step(const Step& step, const paths::HostRoot& root) {
  return step.kind == Step::Kind::usb_reset ? reset_usb(step, root) : write_value(step, root);
}

/// Poll period where no changes are reported: in /sys and /proc, and if watches are exhausted.
constexpr loop::Milliseconds kCheckPeriod{50};

/// Waits at most `limit` until `path` exists, with links followed. `done` is called once, later,
/// with the result. If changes are not reported, the path is polled.
class PathWait final : private paths::PathListener {
 public:
  PathWait(loop::EventLoop& loop, paths::PathFollower& paths, std::string path,
           loop::Milliseconds limit, std::move_only_function<void(bool)> done)
      : paths_(paths),
        path_(std::move(path)),
        done_(std::move(done)),
        limit_(loop.after(limit, [this] { finish(false); })),
        again_(loop.every(kCheckPeriod, [this] { recheck(); })) {
    paths_.follow(path_, *this);
    // If others wait for the path, follow() starts no check.
    paths_.refresh(path_);
  }
  PathWait(const PathWait&) = delete;
  PathWait& operator=(const PathWait&) = delete;
  ~PathWait() override { paths_.drop(path_, *this); }

 private:
  void path_state_changed(const std::string& /*path*/, const paths::PathState& /*state*/) override {
    if (exists()) finish(true);
  }
  void recheck() {
    if (exists()) {
      finish(true);
    } else if (!paths_.reports_all_changes(path_)) {
      paths_.refresh(path_);
    }
  }
  [[nodiscard]] bool exists() const {
    return paths_.state(path_).kind == paths::PathState::Kind::exists;
  }
  /// Must be the last statement of a caller: the receiver may destroy this wait.
  void finish(bool exists) {
    limit_.reset();
    again_.reset();
    if (auto done = std::exchange(done_, nullptr)) done(exists);
  }

  paths::PathFollower& paths_;
  std::string path_;
  std::move_only_function<void(bool)> done_;
  loop::Subscription limit_;
  loop::Subscription again_;
};

/// Shared by all runs.
struct Context {
  Context(loop::EventLoop& event_loop, loop::Inotify& inotify, loop::WorkQueue& work_queue,
          StepRunner::Options run_options)
      : loop(event_loop),
        queue(work_queue),
        options(std::move(run_options)),
        checker(paths::PathChecker::create(queue, options.root)),
        paths(loop, *checker, {.root = options.root, .inotify = &inotify}) {}

  loop::EventLoop& loop;
  loop::WorkQueue& queue;
  StepRunner::Options options;
  std::unique_ptr<paths::PathChecker> checker;
  paths::PathFollower paths;
};

/// "step 2, exec /probes/reset.sh"
std::string name_of(size_t index, const Step& step) {
  const auto named = [index](const char* word, const std::string& path) {
    return fmt::format("step {}, {} {}", index + 1, word, printable(path));
  };
  switch (step.kind) {
    case Step::Kind::exec:
      return named("exec", step.arguments.front());
    case Step::Kind::write:
      return named("write", step.path);
    case Step::Kind::usb_reset:
      return named("usbReset", step.path);
    case Step::Kind::wait:
      return named("wait", step.path);
  }
  return {};
}

/// For messages: the remaining budget is some milliseconds less than the caller's 25 seconds.
loop::Milliseconds rounded_up(loop::Milliseconds budget) {
  constexpr std::chrono::seconds kShort{1};
  return budget < kShort ? budget : std::chrono::ceil<std::chrono::seconds>(budget);
}

/// One list of steps, alive until it is finished or cancelled.
class StepRun : public std::enable_shared_from_this<StepRun> {
 public:
  StepRun(std::shared_ptr<Context> context, std::vector<Step> steps, loop::Milliseconds budget,
          StepRunner::Done done)
      : context_(std::move(context)),
        steps_(std::move(steps)),
        shown_budget_(rounded_up(budget)),
        end_(context_->loop.now() + budget),
        done_(std::move(done)) {}

  void start() { begin_ = context_->loop.after(loop::Milliseconds(0), guarded(&StepRun::next)); }

  void give_up() {
    begin_.reset();
    running_.reset();
    done_ = nullptr;
  }

 private:
  loop::Task guarded(void (StepRun::*what)()) {
    return [weak = weak_from_this(), what] {
      if (const auto run = weak.lock()) (run.get()->*what)();
    };
  }
  void next();
  void begin(const Step& step, loop::Milliseconds left);
  void run_program(const Step& step, loop::Milliseconds left);
  void run_blocking(const Step& step, loop::Milliseconds left);
  void wait_for(const Step& step, loop::Milliseconds left);

  /// The step has ended. An empty `fault` means success.
  void ended(const std::string& fault) {
    if (fault.empty()) {
      ++at_;
      next();
    } else {
      finish(fail(name_of(at_, steps_[at_]) + ": " + fault));
    }
  }
  void finish(Result<void> result) {
    auto done = std::move(done_);
    give_up();
    if (done) done(std::move(result));
  }
  [[nodiscard]] std::string overdue_text() const {
    return fmt::format("the steps were not done within {}", duration_text(shown_budget_));
  }

  std::shared_ptr<Context> context_;
  std::vector<Step> steps_;
  loop::Milliseconds shown_budget_;
  loop::Time end_;
  StepRunner::Done done_;
  size_t at_ = 0;
  loop::Subscription begin_;
  loop::Subscription running_;
};

void StepRun::next() {
  if (at_ == steps_.size()) return finish({});
  const auto left = std::chrono::floor<loop::Milliseconds>(end_ - context_->loop.now());
  if (left <= loop::Milliseconds::zero()) return ended(overdue_text());
  begin(steps_[at_], left);
}

void StepRun::begin(const Step& step, loop::Milliseconds left) {
  switch (step.kind) {
    case Step::Kind::exec:
      return run_program(step, left);
    case Step::Kind::write:
    case Step::Kind::usb_reset:
      return run_blocking(step, left);
    case Step::Kind::wait:
      return wait_for(step, left);
  }
}

void StepRun::run_program(const Step& step, loop::Milliseconds left) {
  running_ = loop::run_child(
      context_->loop, context_->queue,
      {.arguments = step.arguments, .environment = context_->options.environment, .timeout = left},
      [weak = weak_from_this()](const loop::ChildResult& result) {
        const auto run = weak.lock();
        if (!run) return;
        const bool timed_out = result.kind == loop::ChildResult::Kind::timed_out;
        run->ended(timed_out ? run->overdue_text()
                             : loop::program_fault(result, run->shown_budget_));
      });
}

void StepRun::run_blocking(const Step& step, loop::Milliseconds left) {
  const auto fault = std::make_shared<std::string>();
  running_ = context_->queue.run(
      "step " + step.path, left,
      [step, root = context_->options.root, fault] { *fault = run_blocking_step(step, root); },
      [weak = weak_from_this(), fault](loop::WorkOutcome outcome) {
        const auto run = weak.lock();
        if (!run) return;
        switch (outcome) {
          case loop::WorkOutcome::done:
            return run->ended(*fault);
          case loop::WorkOutcome::timed_out:
            return run->ended(run->overdue_text());
          case loop::WorkOutcome::still_hanging:
            return run->ended("an earlier start timed out and still hangs");
          case loop::WorkOutcome::no_thread:
            return run->ended(kNoThreadText);
        }
      });
}

void StepRun::wait_for(const Step& step, loop::Milliseconds left) {
  const auto limit = std::min(step.limit, left);
  auto wait = std::make_unique<PathWait>(
      context_->loop, context_->paths, step.path, limit,
      [weak = weak_from_this(), budget_ends = left < step.limit](bool exists) {
        const auto run = weak.lock();
        if (!run) return;
        if (exists) return run->ended({});
        const Step& waited = run->steps_[run->at_];
        run->ended(budget_ends ? run->overdue_text()
                               : "does not exist after " + duration_text(waited.limit));
      });
  running_ = loop::Subscription([wait = std::move(wait)]() mutable { wait.reset(); });
}

class HostStepRunner final : public StepRunner {
 public:
  explicit HostStepRunner(std::shared_ptr<Context> context) : context_(std::move(context)) {}

  loop::Subscription run(std::vector<Step> steps, loop::Milliseconds budget, Done done) override {
    const auto run = std::make_shared<StepRun>(context_, std::move(steps), budget, std::move(done));
    run->start();
    return loop::Subscription([run] { run->give_up(); });
  }

 private:
  std::shared_ptr<Context> context_;
};

}  // namespace

std::unique_ptr<StepRunner> StepRunner::create(loop::EventLoop& loop, loop::Inotify& inotify,
                                               loop::WorkQueue& queue, Options options) {
  return std::make_unique<HostStepRunner>(
      std::make_shared<Context>(loop, inotify, queue, std::move(options)));
}

}  // namespace patchbay::steps
