#pragma once

#include <chrono>

#include "base/result.h"

namespace patchbay::cli {

/// The time limit for writing the log when the process ends.
inline constexpr std::chrono::milliseconds kLogFlushTimeout{500};

/// Blocks SIGTERM and SIGINT until the event loop handles them, or they are unblocked. Call first.
void block_termination_signals();

/// Unblocks SIGTERM and SIGINT for commands other than `run`, except for signals that were already
/// blocked when the process started.
void unblock_termination_signals();

/// Opens the standard descriptors that are closed, on /dev/null, so that other files do not get
/// their numbers. Ignores SIGPIPE and SIGTTIN: a closed pipe, or a terminal of another job, becomes
/// an error of write() or read(). Call it at the start of the process.
void protect_standard_streams();

/// Raises the limit of open files to the number that the sockets of many resources need.
void raise_descriptor_limit();

/// Returns an Error if a daemon cannot open as many descriptors as its start needs.
[[nodiscard]] Result<void> check_descriptors();

/// Blocks the signal in this thread and those that it starts later, until the loop handles it.
void block_signal(int signal_number);

/// Writes all output, and ends the process without destroying its objects. The kernel frees them
/// faster, for example with thousands of units. A debug build only returns, so that the caller
/// destroys the objects and leaks are detected.
void exit_immediately(int exit_code);

/// Makes this process the parent of its orphaned descendants, so that it can reap them.
void become_subreaper();

}  // namespace patchbay::cli
