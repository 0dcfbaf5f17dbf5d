#include "cli/standalone/line_input.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "base/unique_fd.h"
#include "fake/run_until.h"
#include "fake/temp_dir.h"

namespace patchbay::cli {
namespace {

using Lines = std::vector<std::string>;

/// Replaces our standard input by a descriptor during its lifetime.
class InputFrom {
 public:
  explicit InputFrom(int fd) : saved_(dup(STDIN_FILENO)) { dup2(fd, STDIN_FILENO); }
  InputFrom(const InputFrom&) = delete;
  InputFrom& operator=(const InputFrom&) = delete;
  ~InputFrom() { dup2(saved_.get(), STDIN_FILENO); }

 private:
  UniqueFd saved_;
};

/// The lines of a file.
Lines lines_of(const std::string& text) {
  const fake::TempDir dir;
  const UniqueFd file(open(dir.write("input", text).c_str(), O_RDONLY | O_CLOEXEC));
  const InputFrom input(file.get());
  loop::UvLoop loop;
  Lines lines;
  bool ended = false;
  const LineInput line_input(loop, {.line = [&](const std::string& line) { lines.push_back(line); },
                                    .end = [&] { ended = true; }});
  EXPECT_TRUE(fake::run_until(loop, [&] { return ended; }));
  return lines;
}

TEST(LineInput, ReadsLinesOfFile) {
  EXPECT_EQ(lines_of("a\n\nb c\nd"), (Lines{"a", "", "b c", "d"}));
  EXPECT_EQ(lines_of(std::string(10'000, 'x') + "\ny\n"), (Lines{std::string(10'000, 'x'), "y"}));
}

TEST(LineInput, SkipsLineThatIsTooLong) {
  EXPECT_EQ(lines_of("a\n" + std::string(100'000, 'x') + "quit\nb\n"), (Lines{"a", "b"}));
}

TEST(LineInput, WatchesPipeWithoutChangingItsFlags) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  const UniqueFd reader(ends[0]);
  UniqueFd writer(ends[1]);
  const InputFrom input(reader.get());
  loop::UvLoop loop;
  Lines lines;
  const LineInput line_input(
      loop, {.line = [&](const std::string& line) { lines.push_back(line); }, .end = [] {}});
  ASSERT_EQ(write(writer.get(), "a\nb", 3), 3);
  EXPECT_TRUE(fake::run_until(loop, [&] { return !lines.empty(); }));
  EXPECT_EQ(lines, Lines{"a"});
  EXPECT_EQ(fcntl(STDIN_FILENO, F_GETFL) & O_NONBLOCK, 0);
  writer.reset();
  EXPECT_TRUE(fake::run_until(loop, [&] { return lines.size() == 2; }));
  EXPECT_EQ(lines, (Lines{"a", "b"}));
}

}  // namespace
}  // namespace patchbay::cli
