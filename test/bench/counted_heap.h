#pragma once

#include <cstddef>

/// Counts what `new` and `delete` of the whole program do while they are counted. In valgrind they
/// are served by the even heap, and nothing is counted. One thread.
namespace patchbay::bench {

struct HeapUse {
  size_t allocations = 0;
  size_t bytes = 0;  ///< That were asked for, freed again or not.
  long kept = 0;     ///< Of the blocks that were not freed, with what malloc rounds up.
};

/// Begins to count, from nothing.
void count_heap();
/// What came since, and ends it.
[[nodiscard]] HeapUse counted_heap();

}  // namespace patchbay::bench
