#include "cli/terminal/terminal.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "base/unique_fd.h"

namespace patchbay::cli {
namespace {

/// Redirects this process's standard output to a pipe during the lifetime of this object.
class OutputInPipe {
 public:
  explicit OutputInPipe(int flags = 0) : saved_(dup(STDOUT_FILENO)) {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC | flags), 0);
    reader_ = UniqueFd(ends[0]);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[1]);
  }
  OutputInPipe(const OutputInPipe&) = delete;
  OutputInPipe& operator=(const OutputInPipe&) = delete;
  ~OutputInPipe() { restore(); }

  void restore() { dup2(saved_.get(), STDOUT_FILENO); }
  void close_reader() { reader_.reset(); }
  [[nodiscard]] int reader() const { return reader_.get(); }

 private:
  UniqueFd saved_;
  UniqueFd reader_;
};

TEST(Print, WaitsForSlowReaderOfNonBlockingPipe) {
  const std::string text(1U << 20U, 'x');
  std::string read_text;
  OutputInPipe output(O_NONBLOCK);
  fcntl(output.reader(), F_SETFL, 0);
  std::thread reader([&] {
    std::array<char, 1000> buffer{};
    for (ssize_t size = 0; (size = read(output.reader(), buffer.data(), buffer.size())) > 0;) {
      read_text.append(buffer.data(), static_cast<size_t>(size));
    }
  });
  const Printed printed = print(text);
  output.restore();  // Closes the pipe's only writer, so the reader ends.
  reader.join();
  EXPECT_EQ(printed, Printed::all);
  EXPECT_EQ(read_text, text);
}

TEST(Print, ReportsThatReaderIsGone) {
  signal(SIGPIPE, SIG_IGN);
  OutputInPipe output;
  output.close_reader();
  const Printed printed = print("text\n");
  output.restore();
  EXPECT_EQ(printed, Printed::reader_gone);
  EXPECT_EQ(exit_code_of(printed), 0);
}

TEST(Color, IsOffForPipes) {
  const OutputInPipe output;
  EXPECT_FALSE(is_terminal(STDOUT_FILENO));
  EXPECT_FALSE(wants_color(STDOUT_FILENO));
}

}  // namespace
}  // namespace patchbay::cli
