#include "cli/scrolled_text.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/table.h"

namespace patchbay::cli {
namespace {

enum class Key { up, down, page_up, page_down, first, last, quit };

struct Sequence {
  std::string_view bytes;
  Key key;
};
/// The sequences of xterm and the Linux console, and the letters of `less`.
constexpr std::array kKeys = {Sequence{"\x1b[A", Key::up},
                              Sequence{"\x1bOA", Key::up},
                              Sequence{"k", Key::up},
                              Sequence{"\x1b[B", Key::down},
                              Sequence{"\x1bOB", Key::down},
                              Sequence{"j", Key::down},
                              Sequence{"\r", Key::down},
                              Sequence{"\n", Key::down},
                              Sequence{"\x1b[5~", Key::page_up},
                              Sequence{"b", Key::page_up},
                              Sequence{"\x1b[6~", Key::page_down},
                              Sequence{" ", Key::page_down},
                              Sequence{"\x1b[H", Key::first},
                              Sequence{"\x1bOH", Key::first},
                              Sequence{"\x1b[1~", Key::first},
                              Sequence{"g", Key::first},
                              Sequence{"\x1b[F", Key::last},
                              Sequence{"\x1bOF", Key::last},
                              Sequence{"\x1b[4~", Key::last},
                              Sequence{"G", Key::last},
                              Sequence{"q", Key::quit}};

constexpr const char* kNoWrap = "\x1b[?7l";
constexpr const char* kWrap = "\x1b[?7h";
constexpr const char* kHome = "\x1b[H";
constexpr const char* kClearLine = "\x1b[K";
constexpr const char* kClearBelow = "\x1b[J";

}  // namespace

void ScrolledText::set(const std::string& text) {
  lines_.clear();
  heads_.clear();
  for (const std::string_view line : split(text, '\n')) lines_.emplace_back(line);
  if (!lines_.empty() && lines_.back().empty()) lines_.pop_back();
  size_t head = 0;
  for (size_t i = 0; i < lines_.size(); ++i) {
    if (i > 0 && lines_[i - 1].empty()) head = i;
    heads_.push_back(head);
  }
  scroll_to(top_);
}

void ScrolledText::resize(TerminalSize size) {
  size_ = size;
  scroll_to(top_);
}

bool ScrolledText::fits() const { return lines_.size() < size_.rows; }

size_t ScrolledText::body() const { return std::max<size_t>(size_.rows, 3) - 1; }

void ScrolledText::scroll_to(size_t line) {
  top_ = fits() ? 0 : std::min(line, lines_.size() - body());
}

bool ScrolledText::press(std::string_view keys) {
  while (!keys.empty()) {
    const auto* const found = std::ranges::find_if(
        kKeys, [&](const Sequence& sequence) { return keys.starts_with(sequence.bytes); });
    if (found == kKeys.end()) {
      keys.remove_prefix(1);
      continue;
    }
    keys.remove_prefix(found->bytes.size());
    const size_t page = body() - 2;  // One line of the previous page stays visible.
    if (found->key == Key::quit) return false;
    if (found->key == Key::up) scroll_to(top_ - std::min<size_t>(top_, 1));
    if (found->key == Key::down) scroll_to(top_ + 1);
    if (found->key == Key::page_up) scroll_to(top_ - std::min(top_, page));
    if (found->key == Key::page_down) scroll_to(top_ + page);
    if (found->key == Key::first) scroll_to(0);
    if (found->key == Key::last) scroll_to(lines_.size());
  }
  return true;
}

const std::string& ScrolledText::line_at(size_t row) const {
  if (row > 0 || top_ == 0) return lines_[top_ + row];
  // The head of the text below. It is not repeated if the next line is a head.
  const size_t head = heads_[top_ + 1];
  return lines_[std::min(head, top_)];
}

std::string ScrolledText::drawing(bool keys) const {
  std::string out = std::string(kNoWrap) + kHome;
  const bool all = fits();
  const size_t rows = all ? lines_.size() : body();
  for (size_t row = 0; row < rows; ++row) out += line_at(row) + kClearLine + "\n";
  out += kClearBelow;
  if (!all) {
    const std::string where =
        fmt::format("lines {}-{} of {}{}", top_ + 1, top_ + rows, lines_.size(),
                    keys ? "; arrows and Page keys scroll, q ends" : "");
    out += shortened(where, size_.columns == 0 ? where.size() : size_.columns);
  }
  return out + kWrap;
}

}  // namespace patchbay::cli
