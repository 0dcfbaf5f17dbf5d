#pragma once

#include <functional>
#include <string>

#include "loop/event_loop.h"

namespace patchbay::cli {

/// Calls `on_line` for each line of standard input, on the loop. The input can be a terminal, a
/// pipe, a socket or a file. The last line needs no line end. A line of more than 64 KiB is
/// skipped.
class LineInput {
 public:
  LineInput(loop::EventLoop& loop, std::function<void(const std::string&)> on_line);

 private:
  void read_some();
  void take_lines();

  std::function<void(const std::string&)> on_line_;
  std::string pending_;
  bool skipping_ = false;  ///< Skips the rest of a line that is too long.
  loop::Subscription watch_;
};

}  // namespace patchbay::cli
