#pragma once

#include <cstddef>

/// A heap with the same amount of work for each block. With malloc(), whose work depends on earlier
/// frees, a change of one section would affect the costs of others. Never returns memory to the
/// system. For one thread.
namespace patchbay::bench {

[[nodiscard]] void* even_allocate(size_t bytes);
void even_release(void* block);

}  // namespace patchbay::bench
