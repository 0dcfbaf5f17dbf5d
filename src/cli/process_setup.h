#pragma once

namespace patchbay::cli {

/// Before any other thread starts: signals that the loop listens to are blocked everywhere (the
/// loop unblocks them in its own thread), a closed pipe is an error of write() and not the end, and
/// as many descriptors as the hard limit allows.
void prepare_process();

}  // namespace patchbay::cli
