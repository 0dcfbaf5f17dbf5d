#pragma once

#include <functional>
#include <string>

#include "loop/event_loop.h"

namespace patchbay::cli {

/// Calls `on_line` for each line of standard input, on the loop, while there is one: a terminal, a
/// pipe, a socket or a file. At its end it stops; a last line may lack its line end. A line of more
/// than 64 KiB is skipped.
class LineInput {
 public:
  LineInput(loop::EventLoop& loop, std::function<void(const std::string&)> on_line);

 private:
  void read_some();
  void take_lines();

  std::function<void(const std::string&)> on_line_;
  std::string pending_;
  bool skipping_ = false;  ///< What comes up to the next line end is of a line too long.
  loop::Subscription watch_;
};

}  // namespace patchbay::cli
