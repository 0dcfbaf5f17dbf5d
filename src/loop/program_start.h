#pragma once

#include <sys/types.h>

#include <atomic>
#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace patchbay::loop {

/// A program on its way to be a process. The loop's thread, the work thread that starts it, and the
/// process itself until it is the program, share it.
struct ProgramStart {
  std::vector<std::string> arguments;  ///< As ProcessSpec has them.
  std::vector<std::string> environment;
  UniqueFd output;  ///< The work thread's, which closes it.

  /// Who does not want it any more sets this first, and then kills `pid` if there is one: the
  /// process sets its number first and then looks at this. So it is never left to run.
  std::atomic<bool> cancelled{false};
  std::atomic<pid_t> pid{0};  ///< 0: there is no process yet.
  std::atomic<int> error{0};  ///< An errno: it could not become the program, and has ended.
  /// No work thread has it any more: it was started, or never will be.
  std::atomic<bool> released{false};
};

/// Starts it, and waits until the kernel has opened the program and what interprets it: for ever
/// where their file system hangs, unless the process is killed. A work thread. Who reaps the
/// process, which is one of this process in any case when `pid` is set, is the caller's matter.
void start_program(ProgramStart& start);

}  // namespace patchbay::loop
