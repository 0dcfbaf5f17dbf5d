#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/line_completion.h"
#include "loop/event_loop.h"

namespace patchbay::cli {

/// A prompt on the terminal with history and completion. libedit blocks for keys, also inside a key
/// sequence or a search. Therefore it runs on its own thread, which is the only writer to the
/// terminal. Other output appears above the prompt. Loop thread.
class LineEditor {
 public:
  struct Listener {
    std::function<void(const std::string& line)> line;
    std::function<void()> end;  ///< Ctrl-D on an empty line.
  };

  /// Whether lines can be edited: standard input and output are the terminal, it is not dumb, and
  /// this process is in its foreground.
  [[nodiscard]] static bool is_available();

  LineEditor(loop::UvLoop& loop, Listener listener);
  /// Prints pending output and restores the terminal.
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  /// Sets the words for completion.
  void set_listed(std::vector<ListedUnits> listed);

 private:
  class Terminal;

  /// Shared with callbacks of the thread, which can arrive after the destruction.
  std::shared_ptr<Listener> listener_;
  std::unique_ptr<Terminal> terminal_;
  loop::Subscription resized_;
  loop::Subscription continued_;
};

}  // namespace patchbay::cli
