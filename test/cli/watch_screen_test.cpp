#include "cli/commands/watch_screen.h"

#include <gtest/gtest.h>

namespace patchbay::cli {
namespace {

/// The visible lines, without control sequences.
std::string visible(const std::string& text, TerminalSize size) {
  std::string lines = screenful(text, size);
  for (const std::string sequence : {"\x1b[?7l", "\x1b[H", "\x1b[K", "\x1b[J", "\x1b[?7h"}) {
    for (size_t at = 0; (at = lines.find(sequence)) != std::string::npos;) {
      lines.erase(at, sequence.size());
    }
  }
  return lines;
}

TEST(Screenful, ShowsTextThatFits) {
  EXPECT_EQ(screenful("a\nb\n", {.columns = 80, .rows = 3}),
            "\x1b[?7l\x1b[Ha\x1b[K\nb\x1b[K\n\x1b[J\x1b[?7h");
  EXPECT_EQ(visible("a\nb\n", {}), "a\nb\n");
  EXPECT_EQ(visible("", {.columns = 80, .rows = 3}), "");
}

TEST(Screenful, CountsHiddenLines) {
  EXPECT_EQ(visible("a\nb\nc\n", {.columns = 80, .rows = 3}),
            "a\nb\n1 line hidden; enlarge the terminal, or run without --watch");
  EXPECT_EQ(visible("a\nb\nc\nd\n", {.columns = 80, .rows = 2}),
            "a\n3 lines hidden; enlarge the terminal, or run without --watch");
  EXPECT_EQ(visible("a\nb\nc\nd\n", {.columns = 80, .rows = 1}),
            "a\n3 lines hidden; enlarge the terminal, or run without --watch");
}

}  // namespace
}  // namespace patchbay::cli
