#include <malloc.h>

#include <csignal>
#include <cstdio>
#include <expected>
#include <span>

#include "base/unique_fd.h"
#include "kube/agent.h"
#include "kube/options.h"

/// Connects the daemon to the API server. The daemon starts it, and passes its socket as descriptor
/// 3. Users do not start it.
int main(int argc, char** argv) {
  using patchbay::kube::run_agent;
  mallopt(M_ARENA_MAX, 1);  // Two threads need no heap each.
  std::signal(SIGPIPE, SIG_IGN);
  const auto options =
      patchbay::kube::parse_options(std::span(argv, static_cast<size_t>(argc)).subspan(1));
  const patchbay::Result<void> end =
      options ? run_agent(patchbay::UniqueFd(3), *options) : std::unexpected(options.error());
  if (end) return 0;
  std::fprintf(stderr, "patchbay-kube: %s\n", end.error().message.c_str());
  return 1;
}
