#include "cli/commands/watch_screen.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "cli/commands/config_input.h"
#include "cli/terminal/table.h"

namespace patchbay::cli {
namespace {

constexpr loop::Milliseconds kTick{1000};

constexpr const char* kNoWrap = "\x1b[?7l";
constexpr const char* kWrap = "\x1b[?7h";
constexpr const char* kHome = "\x1b[H";
constexpr const char* kClearLine = "\x1b[K";
constexpr const char* kClearBelow = "\x1b[J";

}  // namespace

std::string screenful(const std::string& text, TerminalSize size) {
  auto lines = split(text, '\n');
  if (lines.back().empty()) lines.pop_back();
  const bool all = size.rows == 0 || lines.size() < size.rows;
  const size_t visible = all ? lines.size() : std::max<size_t>(size.rows, 2) - 1;
  std::string out = std::string(kNoWrap) + kHome;
  for (size_t i = 0; i < visible; ++i) out += std::string(lines[i]) + kClearLine + "\n";
  out += kClearBelow;
  if (!all) {
    const std::string hidden = count_text(lines.size() - visible, "line") +
                               " hidden; enlarge the terminal, or run without --watch";
    out += shortened(hidden, size.columns == 0 ? hidden.size() : size.columns);
  }
  return out + kWrap;
}

WatchScreen::WatchScreen(loop::UvLoop& loop, Render render)
    : loop_(loop),
      render_(std::move(render)),
      resized_(loop.watch_signal(SIGWINCH, [this] { draw_again(); })),
      continued_(loop.watch_signal(SIGCONT, [this] { draw_again(); })),
      tick_(loop.every(kTick, [this] { show_again(); })) {}

WatchScreen::~WatchScreen() {
  if (!drawn_.empty()) print("\n");
}

Printed WatchScreen::show() {
  const TerminalSize size = terminal_size(STDOUT_FILENO);
  std::string drawing = screenful(render_(size), size);
  if (drawing == drawn_ || printed_ != Printed::all) return printed_;
  printed_ = print(drawing);
  drawn_ = std::move(drawing);
  if (printed_ != Printed::all) loop_.stop();
  return printed_;
}

void WatchScreen::show_again() {
  if (!drawn_.empty()) show();
}

void WatchScreen::draw_again() {
  if (drawn_.empty()) return;
  drawn_.clear();
  show();
}

}  // namespace patchbay::cli
