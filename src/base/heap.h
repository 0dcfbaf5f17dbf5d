#pragma once

namespace patchbay {

/// Gives the pages of the heap that hold nothing any more back to the kernel. Takes some
/// milliseconds, in which other threads may wait for memory. Any thread.
void give_back_free_memory();

}  // namespace patchbay
