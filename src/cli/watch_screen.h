#pragma once

#include <termios.h>

#include <functional>
#include <optional>
#include <string>

#include "cli/scrolled_text.h"
#include "loop/event_loop.h"

namespace patchbay::cli {

/// Keys of a terminal as they are typed, without their echo, while this lives.
class KeyMode {
 public:
  /// Of standard input; nothing is changed where that is no terminal, or another job has it.
  KeyMode();
  KeyMode(const KeyMode&) = delete;
  KeyMode& operator=(const KeyMode&) = delete;
  ~KeyMode();

  [[nodiscard]] bool on() const { return before_.has_value(); }
  /// After somebody else had the terminal.
  void renew() const;

 private:
  std::optional<termios> before_;
};

/// What `discover --watch` shows on a terminal: drawn in place, scrolled by keys, and again at
/// another size. Loop thread.
class WatchScreen {
 public:
  /// `render` makes the text, for a terminal of that size. It is asked again each second, since
  /// ages change.
  using Render = std::function<std::string(TerminalSize)>;

  WatchScreen(loop::UvLoop& loop, Render render);
  /// The next line of the shell stands below what was shown.
  ~WatchScreen();
  WatchScreen(const WatchScreen&) = delete;
  WatchScreen& operator=(const WatchScreen&) = delete;

  /// Shows it, if it looks otherwise than what is shown. How that went.
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
