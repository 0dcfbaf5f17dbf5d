#pragma once

#include <functional>
#include <string>

#include "loop/event_loop.h"

namespace patchbay::cli {

/// Reads the lines of standard input on the loop. The input can be a terminal, a pipe, a socket or
/// a file. The last line needs no line end. A line of more than 64 KiB is skipped.
class LineInput {
 public:
  struct Listener {
    std::function<void(const std::string& line)> line;
    std::function<void()> end;  ///< The end of the input; not after an error.
  };
  LineInput(loop::EventLoop& loop, Listener listener);

 private:
  void read_some();
  void take_lines();

  Listener listener_;
  std::string pending_;
  bool skipping_ = false;  ///< Skips the rest of a line that is too long.
  loop::Subscription watch_;
};

}  // namespace patchbay::cli
