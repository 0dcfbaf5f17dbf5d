#pragma once

#include <functional>
#include <string>

#include "cli/terminal/terminal.h"
#include "loop/event_loop.h"

namespace patchbay::cli {

/// The bytes that draw the beginning of a text on a terminal of that size, without wrapped lines.
/// If lines do not fit, the last row has their number.
[[nodiscard]] std::string screenful(const std::string& text, TerminalSize size);

/// The display of `--watch` on a terminal: drawn in place, and redrawn at a new size. Loop thread.
class WatchScreen {
 public:
  /// `render` makes the text for a terminal of that size. It is called every second, because ages
  /// change.
  using Render = std::function<std::string(TerminalSize)>;

  WatchScreen(loop::UvLoop& loop, Render render);
  /// Leaves the cursor below the text for the shell.
  ~WatchScreen();
  WatchScreen(const WatchScreen&) = delete;
  WatchScreen& operator=(const WatchScreen&) = delete;

  /// Draws the text if it changed. Returns the result of the write.
  Printed show();

 private:
  void show_again();
  void draw_again();

  loop::UvLoop& loop_;
  Render render_;
  std::string drawn_;
  Printed printed_ = Printed::all;
  loop::Subscription resized_;
  loop::Subscription continued_;
  loop::Subscription tick_;
};

}  // namespace patchbay::cli
