#pragma once

#include <chrono>

#include "base/result.h"

namespace patchbay::cli {

/// What the log takes at most when the process ends.
inline constexpr std::chrono::milliseconds kLogFlushTimeout{500};

/// Before anything else: SIGTERM and SIGINT wait until somebody takes them, or lets them through.
void block_termination_signals();

/// For all that is no daemon: they end it at once, if they did so for who started us.
void unblock_termination_signals();

/// First of all: the three standard descriptors are open (on /dev/null if need be), so that nothing
/// else takes their numbers; and what the readers of our streams do is an error of read() or
/// write(), and not the end: a closed pipe, a terminal that another job has.
void protect_standard_streams();

/// There may be as many descriptors as plugins need.
void raise_descriptor_limit();

/// An Error: fewer descriptors are free than a daemon needs to start.
[[nodiscard]] Result<void> check_descriptors();

/// The signal waits until the loop watches it, and threads that are started from now on leave it
/// alone.
void block_signal(int signal_number);

/// Ends the process, in which nothing is left that others see: the kernel takes apart what it has
/// in a moment, however many units there are. A debug build returns, takes it apart itself, and so
/// finds out what leaks.
void exit_immediately(int exit_code);

/// What programs that this process starts leave behind becomes its child, as in a container it does
/// anyway: so it can be ended, and its end must be taken.
void become_subreaper();

}  // namespace patchbay::cli
