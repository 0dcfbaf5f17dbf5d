#include <malloc.h>

#include "cli/cli.h"

namespace {

/// glibc keeps a heap for almost every thread, and what one gave back no other can have. There are
/// many threads here, most of them gRPC's and idle.
constexpr int kHeaps = 2;

}  // namespace

int main(int argc, char** argv) {
  mallopt(M_ARENA_MAX, kHeaps);
  return patchbay::cli::main(argc, argv);
}
