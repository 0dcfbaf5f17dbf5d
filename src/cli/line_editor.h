#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/line_completion.h"
#include "loop/event_loop.h"

namespace patchbay::cli {

/// A prompt on the terminal, with a history and completion. libedit waits for keys, also inside a
/// key's sequence or a search, so it has a thread of its own, which alone writes to the terminal
/// while this lives: what is printed stands above the prompt. Loop thread.
class LineEditor {
 public:
  struct Listener {
    std::function<void(const std::string& line)> line;
    std::function<void()> end;  ///< Ctrl-D on an empty line.
  };

  /// Whether there is a terminal that a line can be edited on: standard input and standard output
  /// are it, it is no dumb one, and this job has it.
  [[nodiscard]] static bool is_available();

  LineEditor(loop::UvLoop& loop, Listener listener);
  /// What was printed is shown, and the terminal is as it was.
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  /// What is completed from now on.
  void set_listed(std::vector<ListedUnits> listed);

 private:
  class Terminal;

  /// Shared with what the thread posts, which may come when this is gone.
  std::shared_ptr<Listener> listener_;
  std::unique_ptr<Terminal> terminal_;
  loop::Subscription resized_;
  loop::Subscription continued_;
};

}  // namespace patchbay::cli
