#include <malloc.h>

#include "cli/cli.h"
#include "cli/commands/process_setup.h"

namespace {

/// Blocks SIGTERM and SIGINT before the constructors of the libraries run, which take milliseconds.
/// A signal in that time then ends the daemon later. Without this, process 1 of a container loses
/// it.
[[gnu::used,
  gnu::section(".preinit_array")]] void (*const kHold)() = patchbay::cli::block_termination_signals;

/// glibc keeps a heap for almost every thread, and memory freed in one heap is not reused in
/// another. Most threads are gRPC's and idle, so a few heaps are enough.
constexpr int kHeaps = 3;

}  // namespace

int main(int argc, char** argv) {
  mallopt(M_ARENA_MAX, kHeaps);
  return patchbay::cli::main(argc, argv);
}
