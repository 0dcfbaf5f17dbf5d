#pragma once

#include "loop/event_loop.h"

namespace patchbay::loop {

/// Runs `blocking`, which may hang for ever, in a thread of its own, and waits for it, but no
/// longer than that. False: it goes on, or there is no thread for it. For the end of a process,
/// when no loop runs; what it touches it must own. Any thread.
[[nodiscard]] bool run_detached(Task blocking, Milliseconds within);

}  // namespace patchbay::loop
