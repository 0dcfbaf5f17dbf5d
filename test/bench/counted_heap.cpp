#include "bench/counted_heap.h"

#include <malloc.h>

#include <cstdlib>
#include <new>

#include <valgrind/valgrind.h>

#include "bench/even_heap.h"

namespace patchbay::bench {
namespace {

/// Whether the even heap is used: under valgrind, where instructions are counted.
bool is_even() {
  static const bool even = RUNNING_ON_VALGRIND != 0;
  return even;
}

bool counts = false;
HeapUse use;

void* counted_allocate(size_t bytes) {
  if (is_even()) return even_allocate(bytes);
  void* const block = std::malloc(bytes);
  if (block == nullptr) std::abort();
  if (counts) {
    ++use.allocations;
    use.bytes += bytes;
    use.kept += static_cast<long>(malloc_usable_size(block));
  }
  return block;
}

void release(void* block) {
  if (is_even()) return even_release(block);
  if (counts) use.kept -= static_cast<long>(malloc_usable_size(block));
  std::free(block);
}

}  // namespace

void count_heap() {
  use = {};
  counts = true;
}

HeapUse counted_heap() {
  counts = false;
  return use;
}

}  // namespace patchbay::bench

// The library's other overloads call these operators.
void* operator new(size_t bytes) { return patchbay::bench::counted_allocate(bytes); }
void operator delete(void* block) noexcept { patchbay::bench::release(block); }
void operator delete(void* block, size_t /*bytes*/) noexcept { patchbay::bench::release(block); }
