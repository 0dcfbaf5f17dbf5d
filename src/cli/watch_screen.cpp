#include "cli/watch_screen.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "cli/stream_watch.h"

namespace patchbay::cli {
namespace {

constexpr loop::Milliseconds kTick{1000};

}  // namespace

KeyMode::KeyMode() {
  termios now{};
  if (!has_terminal() || tcgetattr(STDIN_FILENO, &now) != 0) return;
  before_ = now;
  renew();
}

KeyMode::~KeyMode() {
  if (before_ && has_terminal()) tcsetattr(STDIN_FILENO, TCSANOW, &*before_);
}

void KeyMode::renew() const {
  if (!before_ || !has_terminal()) return;
  termios keys = *before_;
  keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  tcsetattr(STDIN_FILENO, TCSANOW, &keys);
}

WatchScreen::WatchScreen(loop::UvLoop& loop, Render render)
    : loop_(loop),
      render_(std::move(render)),
      resized_(loop.watch_signal(SIGWINCH, [this] { draw_again(); })),
      continued_(loop.watch_signal(SIGCONT,
                                   [this] {
                                     key_mode_.renew();
                                     draw_again();
                                   })),
      tick_(loop.every(kTick, [this] { show_again(); })) {
  if (!key_mode_.on()) return;
  auto keys = watch_readable(loop, STDIN_FILENO, [this] { read_keys(); });
  if (keys) keys_ = *std::move(keys);
}

WatchScreen::~WatchScreen() {
  if (!drawn_.empty()) print("\n");
}

Printed WatchScreen::show() {
  const TerminalSize size = terminal_size(STDOUT_FILENO);
  text_.resize(size);
  text_.set(render_(size));
  draw();
  return printed_;
}

void WatchScreen::draw() {
  std::string drawing = text_.drawing(static_cast<bool>(keys_));
  if (drawing == drawn_ || printed_ != Printed::all) return;
  printed_ = print(drawing);
  drawn_ = std::move(drawing);
  if (printed_ != Printed::all) loop_.stop();
}

void WatchScreen::show_again() {
  if (!drawn_.empty()) show();
}

void WatchScreen::draw_again() {
  if (drawn_.empty()) return;
  drawn_.clear();
  show();
}

void WatchScreen::read_keys() {
  std::array<char, 256> buffer{};
  const ssize_t size = read(STDIN_FILENO, buffer.data(), buffer.size());
  if (size < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (size <= 0) return keys_.reset();
  if (!text_.press(std::string_view(buffer.data(), static_cast<size_t>(size)))) loop_.stop();
  draw();
}

}  // namespace patchbay::cli
