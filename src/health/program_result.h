#pragma once

#include <string>

#include "loop/child_process.h"
#include "loop/event_loop.h"

/// Words for people about what ran. Pure; any thread.
namespace patchbay::health {

/// "no answer within 2s".
[[nodiscard]] std::string timeout_text(loop::Milliseconds timeout);

/// Of work that no thread was there for.
inline constexpr const char* kNoThreadText =
    "no worker thread available: too many operations are blocked";

/// Why a program did not end well; empty if it did: its exit code is 0. Else the last line that it
/// wrote, how it ended, or why it did not start.
[[nodiscard]] std::string program_fault(const loop::ChildResult& result,
                                        loop::Milliseconds timeout);

}  // namespace patchbay::health
