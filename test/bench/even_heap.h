#pragma once

#include <cstddef>

/// A heap that does the same work for each block, whatever was there before: malloc's depends on
/// what was freed where, so that a change in one place is seen in others, too. Gives nothing back.
/// One thread.
namespace patchbay::bench {

[[nodiscard]] void* even_allocate(size_t bytes);
void even_release(void* block);

}  // namespace patchbay::bench
