#pragma once

#include <chrono>

#include "base/result.h"

namespace patchbay::cli {

/// The time limit for writing the log when the process ends.
inline constexpr std::chrono::milliseconds kLogFlushTimeout{500};

/// Call first: blocks SIGTERM and SIGINT until they are handled or unblocked.
void block_termination_signals();

/// For commands other than a daemon: restores the default action of these signals, if they had it
/// when the process started.
void unblock_termination_signals();

/// Call first: opens the three standard descriptors (on /dev/null if necessary), so that other
/// files do not get their numbers. A closed pipe, or a terminal of another job, becomes an error of
/// read() or write() instead of a signal.
void protect_standard_streams();

/// Raises the limit of open files to the number that plugins need.
void raise_descriptor_limit();

/// Returns an Error if fewer descriptors are free than a daemon needs to start.
[[nodiscard]] Result<void> check_descriptors();

/// Blocks the signal until the loop handles it. Threads inherit that if they start
/// afterwards.
void block_signal(int signal_number);

/// Ends the process without destroying its objects: the kernel frees them fast, however many units
/// exist. Nothing outside of the process depends on them. A debug build returns instead and
/// destroys them, to detect leaks.
void exit_immediately(int exit_code);

/// Makes orphaned descendants of this process its children, as in a container, so that they can be
/// reaped.
void become_subreaper();

}  // namespace patchbay::cli
