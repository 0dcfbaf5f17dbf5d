#include "loop/uv_processes.h"

#include <linux/close_range.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "loop/turns.h"

namespace patchbay::loop {
namespace {

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

/// A group is named like the process that leads it, and no other process can get that number as
/// long as the group has members.
void kill_group(pid_t leader) { ::kill(-leader, SIGKILL); }

}  // namespace

/// libuv's handle lives until the process has ended, whatever becomes of its Subscription: only so
/// libuv takes its end. A process that was killed while it waits for a disk or a network file
/// system may take long to end.
struct UvProcesses::Child {
  uv_process_t uv{};
  UvProcesses* owner = nullptr;
  std::move_only_function<void(ProcessEnd)> on_end;
  bool ended = false;
  std::shared_ptr<const void> until_ended{};
  std::shared_ptr<Child> self{};  ///< Until libuv is done with the handle.

  void close() {
    ended = true;
    until_ended.reset();
    uv_close(reinterpret_cast<uv_handle_t*>(&uv),
             [](uv_handle_t* handle) { static_cast<Child*>(handle->data)->self.reset(); });
  }
  void give_up() {
    on_end = nullptr;
    if (ended) return;
    kill_group(uv.pid);
    // The loop may end before it does.
    uv_unref(reinterpret_cast<uv_handle_t*>(&uv));
  }
};

Result<Subscription> UvProcesses::start(const ProcessSpec& spec,
                                        std::move_only_function<void(ProcessEnd)> on_end) {
  const auto child = std::make_shared<Child>();
  child->owner = this;
  child->on_end = std::move(on_end);
  child->until_ended = spec.until_ended;
  child->self = child;
  child->uv.data = child.get();
  auto arguments = pointers_to(spec.arguments);
  auto environment = pointers_to(spec.environment);
  std::array<uv_stdio_container_t, 3> streams{};
  streams[0].flags = UV_IGNORE;  // libuv gives it /dev/null.
  for (size_t i = 1; i < streams.size(); ++i) {
    streams.at(i).flags = UV_INHERIT_FD;
    streams.at(i).data.fd = spec.output;
  }
  uv_process_options_t options{};
  options.file = arguments.front();
  options.args = arguments.data();
  options.env = environment.data();
  options.cwd = "/";
  options.flags = UV_PROCESS_DETACHED;
  options.stdio = streams.data();
  options.stdio_count = static_cast<int>(streams.size());
  options.exit_cb = [](uv_process_t* process, int64_t exit_code, int signal_number) {
    auto* ended = static_cast<Child*>(process->data);
    const Turns::Turn turn(*static_cast<Turns*>(process->loop->data), "the end of a program");
    ended->owner->ended(ended, {static_cast<int>(exit_code), signal_number});
  };
  // Whatever of ours a library or our own parent left open for programs.
  ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  if (const int failed = uv_spawn(&loop_, &child->uv, &options); failed != 0) {
    child->close();
    return fail(std::generic_category().message(-failed));
  }
  children_[child->uv.pid] = child.get();
  return Subscription([child] { child->give_up(); });
}

void UvProcesses::ended(Child* child, ProcessEnd end) {
  children_.erase(child->uv.pid);
  kill_group(child->uv.pid);
  child->close();
  if (auto on_end = std::move(child->on_end)) on_end(end);
}

bool UvProcesses::reap_inherited() const {
  while (true) {
    siginfo_t info{};
    // Only looked at: the end of one of ours must be left for libuv.
    if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
      return true;
    if (children_.contains(info.si_pid)) return false;
    ::waitpid(info.si_pid, nullptr, WNOHANG);
  }
}

void UvProcesses::forget() {
  for (const auto& [pid, child] : children_) child->close();
  children_.clear();
}

}  // namespace patchbay::loop
