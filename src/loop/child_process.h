#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "loop/blocking_work.h"
#include "loop/event_loop.h"

namespace patchbay::loop {

/// What to run, and how long. See ProcessSpec.
struct ChildOptions {
  std::vector<std::string> arguments;
  std::vector<std::string> environment{};
  Milliseconds timeout{};
  size_t output_limit = 4096;
  std::shared_ptr<const void> until_ended{};  ///< See ProcessSpec.
};

/// What came of it.
struct ChildResult {
  enum class Kind {
    exited,
    signalled,
    timed_out,
    cannot_start,  ///< `reason` says why, without the program's name.
    hung,          ///< It did not start by the timeout, as `reason` says with its name.
    no_thread,     ///< There was no thread to start it.
  };
  Kind kind = Kind::exited;
  int number = 0;        ///< The exit code, or the signal.
  std::string output{};  ///< The last bytes of standard output and error, as they came.
  std::string reason{};
};

/// Runs a program to its end, which is that of the process itself: what it left in its process
/// group is killed then, and at the timeout the whole group. The timeout runs from now, and one of
/// which the file system hangs has not started by then. All output is taken, so that the program
/// does not block on it, but only the end of it is kept. `done` is called once, later, on the loop
/// thread; never when the Subscription was ended before, which kills the group as well. `work`,
/// which starts it, outlives the run.
[[nodiscard]] Subscription run_child(EventLoop& loop, BlockingWork& work, ChildOptions options,
                                     std::move_only_function<void(ChildResult)> done);

/// The environment for children: PATH (the usual one if we have none), and of our own variables
/// those named, where they are set. Nothing else of ours, such as a token, gets to a probe.
[[nodiscard]] std::vector<std::string> child_environment(const std::vector<std::string>& names);

}  // namespace patchbay::loop
