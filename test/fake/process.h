#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/unique_fd.h"
#include "fake/event_log.h"

namespace patchbay::fake {

/// The result of a finished process.
struct Finished {
  int exit_code = -1;  ///< 128 + N when signal N ended it.
  std::string out;
  std::string err;
};

/// A real process with its standard streams in pipes. A test can wait for its lines. The destructor
/// kills the process if it still runs. One test thread drives it.
class Process {
 public:
  struct Line {
    bool error_stream = false;
    std::string text;
  };

  /// Adds `environment` to the environment of the test. Throws std::runtime_error if it cannot
  /// start.
  explicit Process(std::vector<std::string> argv,
                   const std::map<std::string, std::string>& environment = {});
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();

  /// Waits for the first line at or after the mark `from` that contains `text`.
  [[nodiscard]] std::optional<std::string> wait_for_line(const std::string& text,
                                                         size_t from = 0) const;
  [[nodiscard]] const EventLog<Line>& lines() const { return lines_; }
  [[nodiscard]] size_t count_lines(const std::string& text) const;

  void write(const std::string& text) const;
  void close_input() { input_.reset(); }
  void send_signal(int signal_number) const;
  /// Waits for the end of the process, and kills it after `patience`.
  Finished wait(std::chrono::milliseconds patience = kPatience);

  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  void read_lines(int fd, bool error_stream);

  pid_t pid_ = -1;
  bool reaped_ = false;
  UniqueFd input_;
  UniqueFd output_;
  UniqueFd errors_;
  EventLog<Line> lines_;
  std::vector<std::thread> readers_;
};

/// Runs a command to its end.
Finished run_process(std::vector<std::string> argv,
                     const std::map<std::string, std::string>& environment = {});

/// The patchbay of this build ($PATCHBAY_BINARY, set by ctest).
std::string patchbay_binary();

}  // namespace patchbay::fake
