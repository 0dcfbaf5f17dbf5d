#include "cli/commands/process_setup.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/log.h"
#include "base/unique_fd.h"
#include "cli/terminal/terminal.h"

namespace patchbay::cli {
namespace {

/// The signals that were blocked at the start of the process.
sigset_t& blocked_at_start() {
  static sigset_t the_set;
  return the_set;
}

/// A lower bound: the descriptors that a daemon with one resource opens at its start, and a few
/// more.
constexpr size_t kMinDescriptors = 40;

}  // namespace

void block_termination_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  pthread_sigmask(SIG_BLOCK, &set, &blocked_at_start());
}

void unblock_termination_signals() {
  for (const int signal_number : {SIGTERM, SIGINT}) {
    if (sigismember(&blocked_at_start(), signal_number) == 1) continue;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal_number);
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  }
}

void protect_standard_streams() {
  // open() returns the lowest free number, so the first calls fill the standard descriptors.
  int fd = open("/dev/null", O_RDWR);
  while (fd >= 0 && fd <= STDERR_FILENO) fd = open("/dev/null", O_RDWR);
  if (fd >= 0) close(fd);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGTTIN, SIG_IGN);
}

void block_signal(int signal_number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal_number);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

void raise_descriptor_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  // A plugin needs two descriptors. A larger limit only makes the kernel's table larger.
  constexpr rlim_t kEnough = 8192;
  limit.rlim_cur = std::max(limit.rlim_cur, std::min<rlim_t>(limit.rlim_max, kEnough));
  setrlimit(RLIMIT_NOFILE, &limit);

  // The kernel's descriptor table grows with the largest number. In a process with threads that
  // takes 15 ms, which would delay the first kubelet.
  const int last = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC,
                         static_cast<int>(std::min<rlim_t>(limit.rlim_cur, kEnough)) - 1);
  if (last >= 0) close(last);
}

/// Opens descriptors as a test, because open files and the limit of the node count, too.
Result<void> check_descriptors() {
  std::vector<UniqueFd> held;
  while (held.size() < kMinDescriptors) {
    UniqueFd fd(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
    if (!fd) {
      const int error = errno;
      return fail(fmt::format("open files: {} can be opened, a start needs {} ({}): {}",
                              held.size(), kMinDescriptors, std::system_category().message(error),
                              error == EMFILE ? "raise LimitNOFILE= of the service, or ulimit -n"
                                              : "raise fs.file-max of the node"));
    }
    held.push_back(std::move(fd));
  }
  return {};
}

void exit_immediately([[maybe_unused]] int exit_code) {
#ifdef NDEBUG
  flush_output(kLogFlushTimeout);
  std::fflush(nullptr);
  ::_exit(exit_code);
#endif
}

void become_subreaper() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

}  // namespace patchbay::cli
