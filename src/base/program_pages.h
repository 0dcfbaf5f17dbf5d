#pragma once

namespace patchbay {

/// Lets the kernel drop the pages of the program's code that this process has used so far. Most
/// code of the start is not used again. Pages in use return from the page cache within a
/// microsecond. Breakpoints in the code are lost. Any thread.
void give_back_program_pages();

}  // namespace patchbay
