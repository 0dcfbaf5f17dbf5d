#pragma once

#include "loop/event_loop.h"

namespace patchbay::loop {

/// Runs `blocking`, which may hang for ever, on a separate thread and waits for it, at most
/// `within`. False: it is still running, or no thread is available. For the end of a process, when
/// no loop runs. `blocking` must own everything it uses. Any thread.
[[nodiscard]] bool run_detached(Task blocking, Milliseconds within);

}  // namespace patchbay::loop
