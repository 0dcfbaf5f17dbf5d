#include "health/check_runner.h"

#include <map>
#include <utility>

#include "base/current_path.h"
#include "base/text.h"
#include "health/blocking_check.h"
#include "health/program_result.h"
#include "health/tcp_check.h"
#include "loop/child_process.h"
#include "loop/weak_self.h"

namespace patchbay::health {
namespace {

/// Whether the check uses a device or a service, and does not only read files.
bool uses_device(const Check& check) {
  return check.kind == Check::Kind::open || check.kind == Check::Kind::exec ||
         check.kind == Check::Kind::tcp;
}

/// Equal for checks of the same target with the same method.
std::string name_of(const Check& check) {
  std::string name = std::to_string(static_cast<int>(check.kind));
  const auto add = [&name](const std::string& text) { (name += '\0') += text; };
  add(check.path);
  add(check.syspath);
  for (const std::string& one : check.names) add(one);
  for (const std::string& one : check.arguments) add(one);
  return name;
}

CheckResult result_of(const loop::ChildResult& result, const std::string& program,
                      loop::Milliseconds timeout) {
  using Kind = loop::ChildResult::Kind;
  std::string fault = program_fault(result, timeout);
  if (fault.empty()) return {.kind = CheckResult::Kind::done};
  switch (result.kind) {
    case Kind::cannot_start:
      return {.kind = CheckResult::Kind::cannot_run, .reason = printable(program) + ": " + fault};
    case Kind::no_thread:
      return {.kind = CheckResult::Kind::cannot_run, .reason = std::move(fault)};
    default:
      return {.kind = CheckResult::Kind::failed, .reason = std::move(fault)};
  }
}

class HostCheckRunner final : public CheckRunner {
 public:
  HostCheckRunner(loop::EventLoop& loop, loop::WorkQueue& queue, RunOptions options)
      : loop_(loop), queue_(queue), options_(std::move(options)) {}

  using CheckRunner::run;
  loop::Subscription run(const Check& check, Done done, loop::Task on_blocked) override {
    // A recorded machine has no devices, and is assumed to be healthy.
    if (options_.root.is_recorded() && uses_device(check)) return finish_later({}, std::move(done));
    switch (check.kind) {
      case Check::Kind::exec:
        return run_program(check, std::move(done));
      case Check::Kind::tcp:
        return check_tcp(loop_, queue_, check, std::move(done));
      default:
        return run_blocking(check, std::move(done), std::move(on_blocked));
    }
  }

 private:
  loop::Subscription run_blocking(const Check& check, Done done, loop::Task on_blocked);
  loop::Subscription run_program(const Check& check, Done done);
  loop::Subscription finish_later(CheckResult result, Done done) {
    return loop_.after(loop::Milliseconds(0),
                       [result = std::move(result), done = std::move(done)]() mutable {
                         done(std::move(result));
                       });
  }

  loop::EventLoop& loop_;
  loop::WorkQueue& queue_;
  RunOptions options_;
  /// By name: programs that were killed at their timeout. Expired once they have ended.
  std::map<std::string, std::weak_ptr<const void>> lingering_;
  loop::WeakSelf<HostCheckRunner> weak_self_{this};
};

loop::Subscription HostCheckRunner::run_blocking(const Check& check, Done done,
                                                 loop::Task on_blocked) {
  const auto result = std::make_shared<CheckResult>();
  return queue_.run(
      name_of(check), check.timeout,
      [check, root = options_.root, result] { *result = run_blocking_check(check, root); },
      {.done =
           [result, timeout = check.timeout,
            done = std::move(done)](loop::WorkOutcome outcome) mutable {
             switch (outcome) {
               case loop::WorkOutcome::done:
                 return done(std::move(*result));
               case loop::WorkOutcome::timed_out:
                 return done({.kind = CheckResult::Kind::failed, .reason = timeout_text(timeout)});
               case loop::WorkOutcome::still_hanging:
                 return done({.kind = CheckResult::Kind::failed,
                              .reason = "an earlier check timed out and still hangs"});
               case loop::WorkOutcome::no_thread:
                 return done({.kind = CheckResult::Kind::cannot_run, .reason = kNoThreadText});
             }
           },
       .became_slow = std::move(on_blocked)});
}

loop::Subscription HostCheckRunner::run_program(const Check& check, Done done) {
  std::erase_if(lingering_, [](const auto& entry) { return entry.second.expired(); });
  const std::string name = name_of(check);
  if (lingering_.contains(name)) {
    return finish_later(
        {.kind = CheckResult::Kind::failed,
         .reason = "an earlier run timed out and was killed, but has not exited yet"},
        std::move(done));
  }
  const auto token = std::make_shared<const bool>(true);
  return loop::run_child(loop_, queue_,
                         {.arguments = check.arguments,
                          .environment = options_.environment,
                          .timeout = check.timeout,
                          .until_ended = token},
                         [note_lingering = weak_self_.guard(
                              [name, weak = std::weak_ptr<const void>(token)](
                                  HostCheckRunner& runner) { runner.lingering_[name] = weak; }),
                          program = check.arguments.front(), timeout = check.timeout,
                          done = std::move(done)](const loop::ChildResult& result) mutable {
                           if (result.kind == loop::ChildResult::Kind::timed_out) note_lingering();
                           done(result_of(result, program, timeout));
                         });
}

}  // namespace

std::unique_ptr<CheckRunner> CheckRunner::create(loop::EventLoop& loop, loop::WorkQueue& queue,
                                                 RunOptions options) {
  return std::make_unique<HostCheckRunner>(loop, queue, std::move(options));
}

}  // namespace patchbay::health
