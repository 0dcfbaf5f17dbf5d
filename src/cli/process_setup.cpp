#include "cli/process_setup.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>

namespace patchbay::cli {

void prepare_process() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);

  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  // A plugin needs two descriptors; more than this only makes the kernel's table larger.
  limit.rlim_cur = std::max(limit.rlim_cur, std::min<rlim_t>(limit.rlim_max, 8192));
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace patchbay::cli
