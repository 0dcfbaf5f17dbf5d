#pragma once

#include <cstddef>

/// A heap with a constant amount of work per block. The work of malloc depends on earlier frees, so
/// a local change would affect other measurements. Never returns memory. One thread.
namespace patchbay::bench {

[[nodiscard]] void* even_allocate(size_t bytes);
void even_release(void* block);

}  // namespace patchbay::bench
