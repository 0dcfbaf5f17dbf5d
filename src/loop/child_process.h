#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "loop/event_loop.h"
#include "loop/work_queue.h"

namespace patchbay::loop {

/// A program to run, and its timeout. See ProcessSpec.
struct ChildOptions {
  std::vector<std::string> arguments;
  std::vector<std::string> environment{};
  Milliseconds timeout{};
  size_t output_limit = 4096;
  std::shared_ptr<const void> until_ended{};  ///< See ProcessSpec.
};

/// Runs a program until its process ends or times out, and then kills the rest of its process
/// group. The timeout includes the start, so a hung file system counts. All output is read, so that
/// the program does not block. Only the last ChildOptions::output_limit bytes are kept. `done` is
/// called once, later, on the loop thread. If the Subscription ends before, the group is killed and
/// `done` is not called. `work` starts the program, and must outlive the run.
[[nodiscard]] Subscription run_child(EventLoop& loop, BlockingWork& work, ChildOptions options,
                                     std::move_only_function<void(ChildResult)> done);

/// Returns the environment for programs: our PATH, or a default, and those of the named variables
/// that are set. Programs get no other variables, so that a probe gets no token of ours.
[[nodiscard]] std::vector<std::string> child_environment(const std::vector<std::string>& names);

/// Returns "no answer within 2s".
[[nodiscard]] std::string timeout_text(Milliseconds timeout);

/// Returns why a program failed: its last line of output, how it ended, or why it did not start.
/// Empty if its exit code is 0.
[[nodiscard]] std::string program_fault(const ChildResult& result, Milliseconds timeout);

}  // namespace patchbay::loop
