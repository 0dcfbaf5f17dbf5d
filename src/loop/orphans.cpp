#include "loop/orphans.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <utility>

#include "base/unique_fd.h"
#include "loop/run_detached.h"

namespace patchbay::loop {
namespace {

std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Waits until one of the processes has ended. False: the deadline passed.
bool wait_for_any(const std::vector<pid_t>& pids, Time end) {
  std::vector<UniqueFd> pidfds;  // -1 on kernels without pidfds: then it only waits.
  std::vector<pollfd> waiting;
  for (const pid_t pid : pids) {
    pidfds.emplace_back(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    waiting.push_back({.fd = pidfds.back().get(), .events = POLLIN, .revents = 0});
  }
  const auto left = std::chrono::ceil<Milliseconds>(end - std::chrono::steady_clock::now());
  if (left <= Milliseconds::zero()) return false;
  return ::poll(waiting.data(), waiting.size(), static_cast<int>(left.count())) > 0;
}

void kill_orphans(const std::string& run_id_prefix, std::vector<pid_t>& ending) {
  for (const pid_t pid : inherited_children()) {
    // No other code reaps, so the pid cannot be reused meanwhile.
    if (std::ranges::find(ending, pid) != ending.end() ||
        !run_id_of(pid).starts_with(run_id_prefix))
      continue;
    ::kill(pid, SIGKILL);
    ending.push_back(pid);
  }
}

void reap_until(std::vector<pid_t> ending, const std::string& run_id_prefix, Time end) {
  while (true) {
    std::erase_if(ending, [](pid_t pid) { return ::waitpid(pid, nullptr, WNOHANG) != 0; });
    kill_orphans(run_id_prefix, ending);
    if (ending.empty() || !wait_for_any(ending, end)) return;
  }
}

}  // namespace

std::string make_run_id_prefix() {
  std::random_device random;
  return std::to_string(::getpid()) + '-' + std::to_string(random()) + '-';
}

std::vector<pid_t> inherited_children() {
  const std::string self = std::to_string(::getpid());
  std::istringstream text(read_all("/proc/self/task/" + self + "/children"));
  return {std::istream_iterator<pid_t>(text), {}};
}

std::string run_id_of(pid_t pid) {
  // Matches only at the beginning of a variable.
  const std::string environment = '\0' + read_all("/proc/" + std::to_string(pid) + "/environ");
  const std::string variable = '\0' + std::string(kRunVariable);
  const size_t at = environment.find(variable);
  if (at == std::string::npos) return {};
  const size_t begin = at + variable.size();
  return environment.substr(begin, environment.find('\0', begin) - begin);
}

void reap_with_orphans(std::vector<pid_t> ending, std::string run_id_prefix, Milliseconds within) {
  if (ending.empty()) return;
  const Time end = std::chrono::steady_clock::now() + within;
  // On a separate thread, because a read of a process's memory may wait for that process.
  static_cast<void>(
      run_detached([ending = std::move(ending), run_id_prefix = std::move(run_id_prefix),
                    end]() mutable { reap_until(std::move(ending), run_id_prefix, end); },
                   within));
}

}  // namespace patchbay::loop
