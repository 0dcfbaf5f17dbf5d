#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "base/unique_fd.h"
#include "driver/kube_client.h"
#include "fake/golden.h"
#include "fake/programs.h"
#include "fake/temp_dir.h"

namespace patchbay::driver {

/// A program in place of patchbay-kube. It writes what it receives to a file, after the line
/// "started", and sends what the test writes to a pipe.
class FakeApiClient {
 public:
  /// Sends the text at each start.
  explicit FakeApiClient(const fake::TempDir& dir, const std::string& first = {})
      : received_(dir.write("received", "")), pipe_(dir / "pipe") {
    ::mkfifo(pipe_.c_str(), 0600);
    // Open the pipe first, so that a program that has started sees its end.
    const std::string script = "exec 4<" + pipe_ + "\necho started >> " + received_ +
                               "\ncat <&3 >> " + received_ + " &\nexec cat " +
                               dir.write("first", first) + " - <&4 >&3\n";
    program_ = fake::write_program(dir, "kube", script);
    may_run();
  }

  [[nodiscard]] KubeClient::Options options() const {
    return {.command = {program_}, .environment = {"PATH=/usr/bin:/bin"}};
  }
  [[nodiscard]] std::string received() const { return fake::read_text(received_); }
  /// At most a pipe's capacity at once.
  void send(const std::string& lines) const {
    ASSERT_EQ(::write(open_.get(), lines.data(), lines.size()), static_cast<ssize_t>(lines.size()));
  }

  /// Ends the program. After that, wait for its end, and let the next one run.
  void end() { open_.reset(); }
  void may_run() { open_ = UniqueFd(::open(pipe_.c_str(), O_RDWR | O_CLOEXEC)); }

 private:
  std::string received_;
  std::string pipe_;
  std::string program_;
  UniqueFd open_;  ///< While it is open, the program's input does not end.
};

}  // namespace patchbay::driver
