#pragma once

#include <termios.h>

#include <functional>
#include <optional>
#include <string>

#include "cli/scrolled_text.h"
#include "loop/event_loop.h"

namespace patchbay::cli {

/// Puts the terminal into a mode without echo and line buffering, while this object lives.
class KeyMode {
 public:
  /// For standard input. Has no effect if it is not a terminal with this process in the foreground.
  KeyMode();
  KeyMode(const KeyMode&) = delete;
  KeyMode& operator=(const KeyMode&) = delete;
  ~KeyMode();

  [[nodiscard]] bool on() const { return before_.has_value(); }
  /// Sets the mode again after another process used the terminal.
  void renew() const;

 private:
  std::optional<termios> before_;
};

/// The display of `discover --watch` on a terminal: drawn in place, scrolled by keys, redrawn at a
/// new size. Loop thread.
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
  void read_keys();
  void draw();

  loop::UvLoop& loop_;
  Render render_;
  KeyMode key_mode_;
  ScrolledText text_;
  std::string drawn_;
  Printed printed_ = Printed::all;
  loop::Subscription keys_;
  loop::Subscription resized_;
  loop::Subscription continued_;
  loop::Subscription tick_;
};

}  // namespace patchbay::cli
