#pragma once

#include <cstddef>

/// Counts calls of `new` and `delete` in the whole program. Under valgrind it counts nothing and
/// uses the heap of even_heap.h. For one thread.
namespace patchbay::bench {

struct HeapUse {
  size_t allocations = 0;
  size_t bytes = 0;  ///< Bytes that were allocated, freed or not.
  long kept = 0;     ///< Bytes of the blocks that were not freed, rounded up as malloc does.
};

/// Resets the counts and starts counting.
void count_heap();
/// Stops counting, and returns the counts since the start.
[[nodiscard]] HeapUse counted_heap();

}  // namespace patchbay::bench
