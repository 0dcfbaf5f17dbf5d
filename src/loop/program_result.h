#pragma once

#include <string>

#include "loop/child_process.h"
#include "loop/event_loop.h"

/// Messages about programs and their results. Pure; any thread.
namespace patchbay::loop {

/// "no answer within 2s".
[[nodiscard]] std::string timeout_text(Milliseconds timeout);

/// Why a program failed. Empty if its exit code is 0. Otherwise its last line of output, how it
/// ended, or why it did not start.
[[nodiscard]] std::string program_fault(const ChildResult& result, Milliseconds timeout);

}  // namespace patchbay::loop
