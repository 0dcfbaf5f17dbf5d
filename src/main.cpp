#include <malloc.h>

#include "cli/cli.h"
#include "cli/process_setup.h"

namespace {

/// Before the constructors of the libraries, which take milliseconds: a signal that comes then has
/// the daemon end as later, and is not lost where it is the first process of a container.
[[gnu::used,
  gnu::section(".preinit_array")]] void (*const kHold)() = patchbay::cli::block_termination_signals;

/// glibc keeps a heap for almost every thread, and what one gave back no other can have. There are
/// many threads here, most of them gRPC's and idle.
constexpr int kHeaps = 3;

}  // namespace

int main(int argc, char** argv) {
  mallopt(M_ARENA_MAX, kHeaps);
  return patchbay::cli::main(argc, argv);
}
