#pragma once

namespace patchbay {

/// Returns unused pages of the heap to the kernel. Takes some milliseconds, in which other threads
/// may wait for memory. Any thread.
void give_back_free_memory();

}  // namespace patchbay
