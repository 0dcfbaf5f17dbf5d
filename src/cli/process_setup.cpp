#include "cli/process_setup.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

namespace patchbay::cli {

void guard_streams() {
  // The lowest free number is taken, so no larger one comes before these are open.
  int fd = open("/dev/null", O_RDWR);
  while (fd >= 0 && fd <= STDERR_FILENO) fd = open("/dev/null", O_RDWR);
  if (fd >= 0) close(fd);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGTTIN, SIG_IGN);
}

void hold_signal(int signal_number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal_number);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

void prepare_process() {
  hold_signal(SIGTERM);
  hold_signal(SIGINT);

  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  // A plugin needs two descriptors; more than this only makes the kernel's table larger.
  limit.rlim_cur = std::max(limit.rlim_cur, std::min<rlim_t>(limit.rlim_max, 8192));
  setrlimit(RLIMIT_NOFILE, &limit);
}

bool inherits_processes() {
  int subreaper = 0;
  return ::getpid() == 1 || (::prctl(PR_GET_CHILD_SUBREAPER, &subreaper) == 0 && subreaper != 0);
}

}  // namespace patchbay::cli
