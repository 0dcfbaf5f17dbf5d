#include "health/check_runner.h"

#include <fcntl.h>

#include <cerrno>
#include <map>
#include <utility>

#include "base/current_path.h"
#include "base/result.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "health/tcp_check.h"
#include "host/facts/device_tree.h"
#include "host/facts/sysfs_files.h"
#include "host/facts/udev_record.h"
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
  std::string fault = loop::program_fault(result, timeout);
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

CheckResult open_fault(const std::string& path, int error_number) {
  const std::string shown = printable(path);
  switch (error_number) {
    case EACCES:
    case EPERM:
      return {.kind = CheckResult::Kind::cannot_run,
              .reason = "no permission to open " + shown +
                        " (the device cgroup, a nodev mount or the file's mode)"};
    case ENOMEM:
    case EMFILE:
    case ENFILE:
      return {.kind = CheckResult::Kind::cannot_run,
              .reason = fail_errno("cannot open " + shown, error_number).error().message};
    case ENOENT:
    case ENOTDIR:
      return {.kind = CheckResult::Kind::failed, .reason = shown + " does not exist"};
    case ENXIO:
    case ENODEV:
      return {.kind = CheckResult::Kind::failed, .reason = "no device behind " + shown};
    case EBUSY:
      return {.kind = CheckResult::Kind::failed, .reason = shown + " is busy"};
    default:
      return {.kind = CheckResult::Kind::failed,
              .reason = fail_errno("cannot open " + shown, error_number).error().message};
  }
}

CheckResult check_open(const Check& check, const paths::HostRoot& root) {
  const int mode = check.read && check.write ? O_RDWR : check.write ? O_WRONLY : O_RDONLY;
  const UniqueFd fd = root.open(check.path, mode | O_NONBLOCK);
  if (!fd) return open_fault(check.path, errno);
  return {};
}

/// `read` returns all values for one name.
template <typename Read>
CheckResult read_all(const std::vector<std::string>& names, const Read& read) {
  CheckResult result;
  for (const std::string& name : names) {
    if (auto values = read(name); !values.empty()) result.values.emplace(name, std::move(values));
  }
  return result;
}

CheckResult read_properties(const Check& check, const paths::HostRoot& root) {
  CheckResult result;
  for (auto& [name, value] :
       host::read_properties(host::DeviceTree(root), check.syspath, check.names)) {
    result.values[name].push_back(std::move(value));
  }
  return result;
}

std::vector<std::string> read_file(const paths::HostRoot& root, const std::string& path) {
  std::vector<std::string> values;
  if (auto content = root.read_file(path)) values.push_back(*std::move(content));
  return values;
}

/// Opens or reads something. May block, or hang; any thread.
CheckResult run_blocking_check(const Check& check, const paths::HostRoot& root) {
  switch (check.kind) {
    case Check::Kind::open:
      return check_open(check, root);
    case Check::Kind::attributes:
      return read_all(check.names, [&](const std::string& name) {
        return host::read_attributes(root.kernel_files(), check.syspath, name);
      });
    case Check::Kind::properties:
      return read_properties(check, root);
    case Check::Kind::files:
      return read_all(check.names, [&](const std::string& path) { return read_file(root, path); });
    case Check::Kind::exec:
    case Check::Kind::tcp:
      break;  // These run on the loop.
  }
  return {.kind = CheckResult::Kind::cannot_run, .reason = "this check reads no file: report it"};
}

class HostCheckRunner final : public CheckRunner {
 public:
  HostCheckRunner(loop::EventLoop& loop, loop::WorkQueue& queue, RunOptions options)
      : loop_(loop), queue_(queue), options_(std::move(options)) {}

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
                 return done(
                     {.kind = CheckResult::Kind::failed, .reason = loop::timeout_text(timeout)});
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
