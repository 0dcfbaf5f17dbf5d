#pragma once

#include <functional>
#include <string>

#include "loop/blocking_work.h"
#include "loop/child_process.h"
#include "loop/event_loop.h"

namespace patchbay::loop {

/// How a program went that was to be run.
struct ProgramResult {
  enum class Kind {
    ran,
    cannot_start,  ///< `reason` says why, without the program's name.
    hangs,         ///< Its file does not answer, as `reason` says.
    no_thread,     ///< There is no thread to look at its file.
  };
  Kind kind = Kind::ran;
  ChildResult child{};  ///< If it ran.
  std::string reason{};
};

/// As run_child(), of a program on a file system that may hang: who starts a program waits until
/// the kernel has read the first bytes of it. So they are read first on a work thread, and of a
/// script those of what interprets it; what hangs is not begun. The timeout is for both. `done` is
/// called once, later. Loop thread; `work` outlives the run.
[[nodiscard]] Subscription run_program(EventLoop& loop, BlockingWork& work, ChildOptions options,
                                       std::move_only_function<void(ProgramResult)> done);

}  // namespace patchbay::loop
