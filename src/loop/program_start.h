#pragma once

#include <sys/types.h>

#include <atomic>
#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace patchbay::loop {

/// The state of a program start. It is shared by the loop's thread, the work thread, and the new
/// process until the process executes the program.
struct ProgramStart {
  std::vector<std::string> arguments;  ///< See ProcessSpec.
  std::vector<std::string> environment;
  UniqueFd output;  ///< Closed by the work thread, as is `socket`.
  UniqueFd socket;

  /// To cancel, set this first and then kill `pid` if it is not 0. The process sets `pid` first and
  /// then reads this flag, so it never survives a cancellation.
  std::atomic<bool> cancelled{false};
  std::atomic<pid_t> pid{0};  ///< 0: there is no process yet.
  std::atomic<int> error{0};  ///< Errno of a failed start; the process has ended.
  /// No work thread uses this object any more: the start is complete, or will never begin.
  std::atomic<bool> released{false};
};

/// Starts the program, and blocks until the kernel has opened the program and its interpreter. If
/// their file system hangs, the call blocks until the process is killed. Call it on a work thread.
/// If `pid` is set, the caller must reap the process, which is a child of this process.
void start_program(ProgramStart& start);

}  // namespace patchbay::loop
