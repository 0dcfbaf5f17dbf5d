#include "loop/uv_processes.h"

#include <linux/close_range.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
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

/// At the end, for programs that were killed just before.
constexpr int kLastLooks = 50;
constexpr std::chrono::milliseconds kLastLook{1};

/// The variable in the environment of programs.
constexpr const char* kRunVariable = "PATCHBAY_RUN=";

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Which run of ours a process belongs to; empty: of none, or that is not to be known.
std::string run_of(pid_t pid) {
  // Begins like a variable, and not within one.
  const std::string environment = '\0' + text_of("/proc/" + std::to_string(pid) + "/environ");
  const std::string variable = '\0' + std::string(kRunVariable);
  const size_t at = environment.find(variable);
  if (at == std::string::npos) return {};
  const size_t begin = at + variable.size();
  return environment.substr(begin, environment.find('\0', begin) - begin);
}

/// Told from those of other daemons, and of other lives of this one.
std::string make_mark() {
  std::random_device random;
  return std::to_string(::getpid()) + '-' + std::to_string(random()) + '-';
}

}  // namespace

/// libuv's handle lives until the process has ended, whatever becomes of its Subscription: only so
/// libuv takes its end. A process that was killed while it waits for a disk or a network file
/// system may take long to end.
struct UvProcesses::Child {
  uv_process_t uv{};
  UvProcesses* owner = nullptr;
  std::move_only_function<void(ProcessEnd)> on_end;
  std::string run;  ///< As the variable has it.
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

UvProcesses::UvProcesses(uv_loop_t& loop) : loop_(loop), mark_(make_mark()) {}

Result<Subscription> UvProcesses::start(const ProcessSpec& spec,
                                        std::move_only_function<void(ProcessEnd)> on_end) {
  const auto child = std::make_shared<Child>();
  child->owner = this;
  child->on_end = std::move(on_end);
  child->until_ended = spec.until_ended;
  child->run = mark_ + std::to_string(++runs_);
  child->self = child;
  child->uv.data = child.get();
  auto arguments = pointers_to(spec.arguments);
  auto variables = spec.environment;
  variables.push_back(kRunVariable + child->run);
  auto environment = pointers_to(variables);
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
  kill_strays();
  child->close();
  if (auto on_end = std::move(child->on_end)) on_end(end);
}

/// The parent of each has ended, and that one told us: when it was ours, or had become so.
void UvProcesses::kill_strays() const {
  // Orphans come to the first thread that lives.
  const std::string self = std::to_string(::getpid());
  std::istringstream ours(text_of("/proc/self/task/" + self + "/children"));
  for (pid_t pid = 0; ours >> pid;) {
    // Nobody else gets the number before we have reaped it.
    if (!children_.contains(pid) && is_stray(pid)) ::kill(pid, SIGKILL);
  }
}

bool UvProcesses::is_stray(pid_t pid) const {
  const std::string run = run_of(pid);
  if (!run.starts_with(mark_)) return false;
  return std::ranges::none_of(children_, [&](const auto& child) {
    return child.second->run == run && child.second->on_end != nullptr;
  });
}

bool UvProcesses::reap_inherited() const {
  kill_strays();
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
  std::vector<pid_t> ending;
  for (const auto& [pid, child] : children_) {
    child->close();
    ending.push_back(pid);
  }
  children_.clear();
  // What a program leaves behind is ours to kill from when it has ended.
  for (int i = 0; i < kLastLooks && !ending.empty(); ++i) {
    if (i > 0) std::this_thread::sleep_for(kLastLook);
    std::erase_if(ending, [](pid_t pid) { return ::waitpid(pid, nullptr, WNOHANG) != 0; });
    kill_strays();
  }
}

}  // namespace patchbay::loop
