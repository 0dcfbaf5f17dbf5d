#pragma once

namespace patchbay {

/// Has the kernel forget which pages of the program's own code this process has used so far. Most
/// of what a start uses is not used again; what is comes back from the kernel's cache when it is,
/// in a microsecond. Breakpoints in the code are lost. Any thread.
void give_back_program_pages();

}  // namespace patchbay
